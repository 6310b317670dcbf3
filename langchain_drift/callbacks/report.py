"""What is told of conversations: where each stands, and what was let go."""

from pydantic import BaseModel, ConfigDict

from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.conversation.result import DriftScore
from langchain_drift.display import Table


class ThreadReport(BaseModel):
    """Where a conversation stands.

    Attributes:
        thread_id: The conversation.
        turns: Its turns that are kept, oldest first.
        total_turns: All its scored turns, those included that are no longer kept.
        departures: Turn numbers (from 1) at which it left its purpose.
        returns: Turn numbers at which it came back.
        system_prompt: What it is held against; None if that is not known.
    """

    model_config = ConfigDict(frozen=True)

    thread_id: str
    turns: tuple[TurnRecord, ...] = ()
    total_turns: int = 0
    departures: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    system_prompt: str | None = None

    @property
    def drift(self) -> DriftScore | None:
        """The running score: that of its last scored turn; None without one."""
        return next((turn.drift for turn in reversed(self.turns) if turn.drift), None)

    def __str__(self) -> str:
        """Show the last turns as a table."""
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    def _table(self) -> Table:
        return Table.of(self.thread_id, self.turns, total=self.total_turns)


class Dropped(BaseModel):
    """What was let go to keep memory bounded.

    Attributes:
        turns: Records of turns; the oldest go first.
        threads: States of conversations; those longest silent go first. A later turn of one
            starts a new state.
        runs: Root runs that never ended.
    """

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    threads: int = 0
    runs: int = 0
