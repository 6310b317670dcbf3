"""Door: callback handlers that watch chains, agents and graphs of LangChain and LangGraph."""

from langchain_drift.callbacks.context import get_drift_callback
from langchain_drift.callbacks.handler import DriftCallbackHandler
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.report import Dropped, ThreadReport

__all__ = [
    "DriftCallbackHandler",
    "Dropped",
    "ThreadReport",
    "TurnRecord",
    "get_drift_callback",
]
