"""The callback handler: LangChain's events in, turns with their drift out."""

from collections.abc import Iterable
from typing import Literal, NoReturn, Self
from uuid import UUID

from langchain_drift.callbacks import options
from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.deadline import Deadline
from langchain_drift.callbacks.events import RunEvents
from langchain_drift.callbacks.filters import RunFilter
from langchain_drift.callbacks.judge import Judge
from langchain_drift.callbacks.pairing import Reading
from langchain_drift.callbacks.publisher import FeedbackClient, OnTurn, Publisher
from langchain_drift.callbacks.record import TurnRecord
from langchain_drift.callbacks.recorder import Recorder
from langchain_drift.callbacks.report import Dropped, ThreadReport
from langchain_drift.callbacks.runs import RunBook
from langchain_drift.callbacks.store import Store
from langchain_drift.characters import whole_characters
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.strategy import Strategy
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.counts import check_count
from langchain_drift.display import Table
from langchain_drift.errors import InvalidInputError


class DriftCallbackHandler(RunEvents):
    """Watches any chain, agent or graph and scores every turn once its root run has ended.

    One handler serves any number of conversations, threads and event loops. A conversation is
    told by `thread_id`, `session_id` or `conversation_id` in the run's metadata or configurable
    values; a run without one is a conversation of its own. It watches only: nothing it does or
    fails to do changes an answer.

    Args:
        system_prompt: What the conversations are for, or a `DriftScorer`. Without one, each
            conversation is held against the first system message seen in it.
        few_shot_examples: Exchanges that show the purpose in practice.
        scorer: A scorer, in the place of `system_prompt`, `few_shot_examples` and `strategy`.
        strategy: How turns are judged; by default `PurposeStrategy()`.
        thread_id: The conversation of all runs, whatever they say.
        include_nodes: Graph nodes whose replies count; others do not then.
        exclude_nodes: Graph nodes whose replies do not count.
        include_tags: Tags of runs whose replies count.
        exclude_tags: Tags of runs whose replies do not count.
        input_key: The key of the input that holds the user's words or the messages.
        output_key: The key of the output that holds the reply or the messages.
        on_turn: A function to call with the `TurnRecord` of every turn.
        publish: Where results also go: `event` is a custom event named `drift`, `stream` the
            stream writer of the graph, as `{"drift": …}`.
        langsmith: Whether to send feedback named `on_purpose` (0 to 1), or the client to send
            it with.
        timeout: Seconds a run waits for its score, 0 for not at all. A score that comes later is
            kept when it comes. Once one was late no run waits until they come in time again.
        max_turns: Records kept over all conversations; the oldest go first.
        max_threads: Conversations whose state is kept; those longest silent go first.
        raise_error: Refused: see `policy`.
        policy: Only `observe`. Blocking works in agent middleware and in graph nodes.

    Raises:
        InvalidInputError: If a parameter has a value it cannot take.

    Example:
        ```python
        handler = DriftCallbackHandler(system_prompt="You are a banking assistant.")
        chain.invoke("What is my balance?", config={"callbacks": [handler]})
        handler.turns[-1].drift.score
        ```
    """

    def __init__(  # noqa: PLR0913 - each is one thing a user may want
        self,
        system_prompt: str | DriftScorer | None = None,
        few_shot_examples: Iterable[FewShotExample] | None = None,
        *,
        scorer: DriftScorer | None = None,
        strategy: Strategy | None = None,
        thread_id: str | None = None,
        include_nodes: Iterable[str] | None = None,
        exclude_nodes: Iterable[str] | None = None,
        include_tags: Iterable[str] | None = None,
        exclude_tags: Iterable[str] | None = None,
        input_key: str | None = None,
        output_key: str | None = None,
        on_turn: OnTurn | None = None,
        publish: Iterable[Literal["event", "stream"]] = ("event", "stream"),
        langsmith: bool | FeedbackClient = False,
        timeout: float = 5.0,
        max_turns: int = 1_000,
        max_threads: int = 1_000,
        raise_error: bool = False,
        policy: Literal["observe"] = "observe",
    ) -> None:
        options.refuse_blocking(raise_error=raise_error, policy=policy)
        examples = options.examples(few_shot_examples)
        chosen = options.the_scorer(system_prompt, scorer, examples, strategy)
        outlets = options.outlets(publish, on_turn=on_turn, langsmith=langsmith)
        run_filter = RunFilter(
            include_nodes=options.names("include_nodes", include_nodes),
            exclude_nodes=options.names("exclude_nodes", exclude_nodes),
            include_tags=options.names("include_tags", include_tags),
            exclude_tags=options.names("exclude_tags", exclude_tags),
        )
        boundary, runs = Boundary(), RunBook(run_filter)
        self._store = Store(
            check_count("max_turns", max_turns), check_count("max_threads", max_threads)
        )
        recorder = Recorder(
            store=self._store,
            judge=Judge(chosen, examples, strategy),
            deadline=Deadline(options.seconds("timeout", timeout)),
            publisher=Publisher(outlets, runs, boundary),
            reading=Reading(options.name("output_key", output_key), run_filter.includes),
            thread_id=options.name("thread_id", thread_id),
            boundary=boundary,
        )
        super().__init__(
            runs=runs,
            recorder=recorder,
            boundary=boundary,
            input_key=options.name("input_key", input_key),
            foresees=outlets.stream,
        )

    @property
    def raise_error(self) -> bool:
        """Whether errors stop the run: never."""
        return False

    @raise_error.setter
    def raise_error(self, value: bool) -> None:
        options.refuse_blocking(raise_error=value, policy="observe")

    @property
    def ignore_custom_event(self) -> bool:
        """Whether custom events are left out."""
        return True

    @property
    def ignore_retry(self) -> bool:
        """Whether retries are left out."""
        return True

    @property
    def turns(self) -> tuple[TurnRecord, ...]:
        """The turns that are kept, of all conversations, in the order they ended."""
        return self._store.turns()

    @property
    def threads(self) -> tuple[str, ...]:
        """The conversations whose turns are kept, the one last heard of last."""
        return self._store.thread_ids()

    def thread(self, thread_id: str | int | UUID) -> ThreadReport:
        """Return where a conversation stands; one that was never heard of has no turns."""
        return self._store.report(whole_characters(str(thread_id)))

    @property
    def errors(self) -> dict[str, int]:
        """How often each kind of error happened; each was logged once."""
        return self._boundary.counts

    @property
    def dropped(self) -> Dropped:
        """What was let go to keep memory bounded."""
        return Dropped(
            turns=self._store.dropped_turns,
            threads=self._store.dropped_threads,
            runs=self._runs.dropped,
        )

    def __copy__(self) -> Self:
        """Return the handler itself, so that a copied config goes on with the same turns."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """Return the handler itself; see `__copy__`."""
        return self

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled."""
        message = (
            f"A {type(self).__name__} cannot be pickled: its turns would end in a copy. Make one "
            "in each process."
        )
        raise InvalidInputError(message)

    def __repr__(self) -> str:
        """Show the last turns as a table."""
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()

    def _table(self) -> Table:
        turns = self.turns
        names = [turn.thread_id for turn in turns]
        return Table.of_conversations(
            type(self).__name__, turns, names, dropped=self._store.dropped_turns
        )
