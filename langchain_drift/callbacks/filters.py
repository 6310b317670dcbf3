"""Which runs of a tree speak to the user."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class RunFilter:
    """Chooses runs by the graph nodes they stand in and by their tags.

    As in LangChain's event streams, a run is chosen if it matches any `include` (or there is
    none) and no `exclude`.

    Args:
        include_nodes: Names of graph nodes.
        exclude_nodes: Names of graph nodes.
        include_tags: Tags.
        exclude_tags: Tags.
    """

    include_nodes: frozenset[str] = frozenset()
    exclude_nodes: frozenset[str] = frozenset()
    include_tags: frozenset[str] = frozenset()
    exclude_tags: frozenset[str] = frozenset()

    @property
    def includes(self) -> bool:
        """Whether only named runs are chosen."""
        return bool(self.include_nodes or self.include_tags)

    def chooses(self, nodes: Collection[str], tags: Collection[str]) -> bool:
        """Return whether a run in these nodes and with these tags speaks to the user."""
        if self.exclude_nodes.intersection(nodes) or self.exclude_tags.intersection(tags):
            return False
        if not self.includes:
            return True
        return bool(self.include_nodes.intersection(nodes) or self.include_tags.intersection(tags))
