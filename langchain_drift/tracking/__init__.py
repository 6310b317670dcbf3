"""What stands behind the façades: one tracked conversation, and the turns of a thread."""

from langchain_drift.tracking.turn_log import DriftTurn

__all__ = ["DriftTurn"]
