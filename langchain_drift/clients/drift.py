"""What a wrapped client knows of the drift of its conversations."""

from pydantic import BaseModel, ConfigDict

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.clients.marks import marked
from langchain_drift.clients.recorder import Recorder
from langchain_drift.clients.said import response_id_of
from langchain_drift.clients.turn import ClientTurn
from langchain_drift.display import Table
from langchain_drift.tracker import DriftTracker


class DroppedByClient(BaseModel):
    """What was let go to keep memory bounded.

    Attributes:
        turns: Turns; the oldest go first.
        conversations: Conversations; those longest silent go first. A later turn of one begins
            it anew, with what its request tells of it.
    """

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    conversations: int = 0


class ClientDrift:
    """The turns and conversations of a wrapped client and of its copies.

    Args:
        recorder: What takes the turns.
        boundary: What catches errors.
    """

    def __init__(self, recorder: Recorder, boundary: Boundary) -> None:
        self._recorder, self._boundary = recorder, boundary

    @property
    def turns(self) -> tuple[ClientTurn, ...]:
        """The turns that are kept, of all conversations, in the order they were scored."""
        return self._recorder.turns()

    @property
    def conversations(self) -> tuple[str, ...]:
        """The conversations that are kept, the one last heard of last."""
        return self._recorder.conversations.ids()

    @property
    def errors(self) -> dict[str, int]:
        """How often each kind of error happened; each was logged once."""
        return self._boundary.counts

    @property
    def dropped(self) -> DroppedByClient:
        """What was let go to keep memory bounded."""
        conversations = self._recorder.conversations
        return DroppedByClient(turns=self._recorder.dropped, conversations=conversations.dropped)

    def of(self, response: object) -> ClientTurn | None:
        """Return the turn of a response, a stream, a raw response or a final message.

        Args:
            response: What the client gave; also what a stream was put together to.

        Returns:
            The turn; None if it has none (yet), as a reply that calls a tool.
        """
        found = marked(response)
        name = response_id_of(response)
        if found or name is None:
            return found
        return next((turn for turn in reversed(self.turns) if turn.response_id == name), None)

    def tracker(self, conversation: str | None = None) -> DriftTracker:
        """Return the tracker of a conversation.

        Args:
            conversation: Its key or name; by default the one last heard of.

        Returns:
            The tracker; of a conversation that is not kept a new one, which nothing is told.
        """
        return self._recorder.conversations.tracker(conversation)

    def __repr__(self) -> str:
        """Show the last turns as a table."""
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    def _table(self) -> Table:
        turns = self.turns
        names = [turn.conversation for turn in turns]
        return Table.of_conversations(
            type(self).__name__, turns, names, dropped=self._recorder.dropped
        )
