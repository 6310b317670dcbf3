"""Which conversation a run belongs to."""

from collections.abc import Mapping
from typing import Any

from langchain_drift.characters import whole_characters

THREAD_KEYS = ("thread_id", "session_id", "conversation_id")
"""Where a run names its conversation, the first that is there."""


def thread_in(*places: Mapping[str, Any] | None) -> str | None:
    """Return the conversation that metadata or configurable values name.

    Args:
        places: Mappings to look into; a better key wins over an earlier place.
    """
    for key in THREAD_KEYS:
        for place in places:
            value = (place or {}).get(key)
            if isinstance(value, bool) or value is None or value == "":
                continue
            return whole_characters(str(value))
    return None


def nodes_in(metadata: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the names of the graph nodes a run stands in, those of outer graphs included."""
    found = metadata or {}
    namespace = str(found.get("langgraph_checkpoint_ns") or "")
    names = {part.partition(":")[0] for part in namespace.split("|")}
    names.add(str(found.get("langgraph_node") or ""))
    return frozenset(names - {""})
