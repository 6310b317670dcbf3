"""The door for conversation drift in agents of `create_agent`; needs the extra `langchain`."""
