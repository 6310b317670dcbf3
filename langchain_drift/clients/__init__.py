"""Door: `wrap` for clients of the OpenAI and Anthropic SDKs."""

from langchain_drift.clients.client import DriftClient
from langchain_drift.clients.drift import ClientDrift, DroppedByClient
from langchain_drift.clients.turn import ClientTurn
from langchain_drift.clients.wrap import wrap

__all__ = ["ClientDrift", "ClientTurn", "DriftClient", "DroppedByClient", "wrap"]
