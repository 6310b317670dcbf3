"""The door to LangGraph's checkpoint databases: their threads are read and never changed."""
