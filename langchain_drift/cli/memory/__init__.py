"""`langchain-drift memory …`: look at a mistake memory, tell it, ask it, look after it, move it."""

from langchain_drift.cli.memory import moves as moves  # registers its commands
from langchain_drift.cli.memory.commands import memory_app

__all__ = ["memory_app"]
