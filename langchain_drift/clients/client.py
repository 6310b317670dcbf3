"""What a wrapped client has beside everything it had before."""

from typing import NamedTuple, Self

from langchain_drift.callbacks.options import name
from langchain_drift.clients.drift import ClientDrift
from langchain_drift.clients.twin import twin_of
from langchain_drift.clients.watcher import Watcher
from langchain_drift.conversation.result import DriftReport
from langchain_drift.tracker import DriftTracker


class Link(NamedTuple):
    """What ties a client to what watches it.

    Attributes:
        watcher: Watches its calls.
        drift: What is known of them.
        key: The conversation of all its calls, if it is bound to one.
    """

    watcher: Watcher
    drift: ClientDrift
    key: str | None = None


class DriftClient:
    """A client that `wrap` made: one of its own class still, and also of this one.

    Where a method takes a conversation, that is the key or name of one; by default the one of a
    client made by `with_conversation`, else the one last heard of.
    """

    _drift_link: Link

    @property
    def drift(self) -> ClientDrift:
        """The turns, conversations and errors of this client and of its copies."""
        return self._drift_link.drift

    @property
    def tracker(self) -> DriftTracker:
        """The tracker of the conversation."""
        return self._tracker(None)

    def with_conversation(self, conversation: str) -> Self:
        """Return a client whose calls are all of one conversation; this one stays as it is.

        Args:
            conversation: Names the conversation. The service is not told.

        Raises:
            InvalidInputError: If it is no name.
        """
        link = self._drift_link._replace(key=name("conversation", conversation))
        twin: Self = twin_of(self, type(self), link)
        return twin

    def drift_check(self, conversation: str | None = None) -> DriftReport:
        """Score the turns that wait, if any, and report where a conversation stands."""
        return self._tracker(conversation).check()

    async def adrift_check(self, conversation: str | None = None) -> DriftReport:
        """Report without blocking the event loop; see `drift_check`."""
        return await self._tracker(conversation).acheck()

    def reset(self, conversation: str | None = None) -> None:
        """Forget the turns of a conversation and start it again with the same purpose."""
        self._tracker(conversation).reset()

    def _tracker(self, conversation: str | None) -> DriftTracker:
        return self.drift.tracker(conversation or self._drift_link.key)
