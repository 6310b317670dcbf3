"""`langchain-drift status`, `history`, `reset`, `freeze`, `unfreeze`: what sessions have kept."""

from langchain_drift.cli.sessions.commands import add_commands

__all__ = ["add_commands"]
