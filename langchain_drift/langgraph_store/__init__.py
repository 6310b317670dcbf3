"""The door for LangGraph's stores: a memory of mistakes on the `BaseStore` of a deployment."""

from langchain_drift.langgraph_store.store import LangGraphStore

__all__ = ["LangGraphStore"]
