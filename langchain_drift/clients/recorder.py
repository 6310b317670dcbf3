"""Turns as responses end: their conversation found, scored, kept."""

from collections import deque
from collections.abc import Iterator

from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.deadline import Deadline, Job, Wait
from langchain_drift.callbacks.lock import Lock
from langchain_drift.clients.asked import Asked, Exchange
from langchain_drift.clients.call import Call
from langchain_drift.clients.content import held
from langchain_drift.clients.conversations import Conversation, Conversations, Place
from langchain_drift.clients.history import History
from langchain_drift.clients.marks import mark
from langchain_drift.clients.options import OnTurn
from langchain_drift.clients.said import Reply, Said
from langchain_drift.clients.turn import ClientTurn
from langchain_drift.clients.wire import Wire
from langchain_drift.conversation.result import DriftScore, TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState
from langchain_drift.conversation.turn import Turn as Text

_REPLAYED = 16
"""Earlier exchanges that are scored when a conversation is first seen in its middle."""

_NO_TURN = "The reply has no final text, such as one that calls a tool; the turn goes on."
_WAITED = {
    Wait.LATE: "its score takes longer than {:g} seconds",
    Wait.QUEUED: "it waits for turns whose scores take longer than {:g} seconds",
    Wait.REFUSED: "too many turns wait for their scores, or the system gives no thread",
}


class Recorder:
    """Takes the turns of finished responses; safe to share between threads.

    Args:
        conversations: Finds the conversation of each.
        deadline: How long a response waits for its score.
        boundary: What catches errors.
        max_turns: Turns kept; the oldest go first.
        on_turn: Is called with each turn.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        deadline: Deadline,
        boundary: Boundary,
        max_turns: int,
        on_turn: OnTurn | None,
    ) -> None:
        self.conversations, self.boundary = conversations, boundary
        self._deadline, self._on_turn = deadline, on_turn
        self._lock = Lock()
        self._turns: deque[ClientTurn] = deque()
        self._max_turns = max_turns
        self.dropped = 0

    def turns(self) -> tuple[ClientTurn, ...]:
        """Return the turns that are kept, in the order they were scored."""
        with self._lock:
            return tuple(self._turns)

    def finish(self, call: Call, said: Said, *, waits: bool = True) -> Iterator[Job]:
        """Take the turn of a response, in steps; between two of them it waits for a job.

        Args:
            call: The request.
            said: What the response said.
            waits: Whether to wait for the score.
        """

        def score() -> None:
            with self.boundary("scoring") as caught:
                self._take(call, said)
            if caught.error:
                self._fail(call, said, caught.error)

        job = self._deadline.begin(score, _nothing, waits=waits)
        if job.wait is None:
            yield job
        waited = self._deadline.end(job)
        if waited in _WAITED:
            error = TimeoutError(_WAITED[waited].format(self._deadline.seconds))
            self.boundary.note("scoring", error)
            if waited is Wait.REFUSED:
                self._fail(call, said, error)

    def _take(self, call: Call, said: Said) -> None:
        reply, asked = said.reply, call.asked
        if reply is None and not _goes_on(asked):
            found = self._look(asked)
            call.mark(None, found, _NO_TURN)
            return
        place = self.conversations.claim(asked)
        conversation = place.conversation
        call.conversation = conversation.id
        try:
            with conversation.lock:
                if place.begins_anew:
                    self._replay(conversation, asked)
                if reply is None:
                    conversation.pending = asked.user or conversation.pending
                    call.mark(None, _running(conversation), _NO_TURN)
                else:
                    self._score(call, said, reply, place)
        finally:
            is_linked = asked.wire is Wire.RESPONSES
            self.conversations.keep(conversation, said.response_id if is_linked else None)

    def _look(self, asked: Asked) -> DriftScore | None:
        """Return where the conversation of a request stands, without beginning one."""
        known = self.conversations.find(asked)
        return _running(known) if known else DriftScore(score=100.0)

    def _replay(self, conversation: Conversation, asked: Asked) -> None:
        """Bring a conversation to where the request goes on."""
        conversation.tracker = self.conversations.make(asked.system, conversation.id)
        conversation.history = History.of(self.conversations.owner(asked), asked.history)
        for exchange in asked.history[-_REPLAYED:]:
            conversation.tracker.record_turn(*exchange)

    def _score(self, call: Call, said: Said, reply: Reply, place: Place) -> None:
        asked, conversation = call.asked, place.conversation
        user = asked.user or conversation.pending
        before = conversation.tracker.state if len(said.replies) > 1 else None
        try:
            result = conversation.tracker.record_turn(user, asked.prefill + reply.text)
        finally:  # What cannot be scored was said all the same.
            self._advance(conversation, asked, said, user)
        turn = ClientTurn(
            **dict(result),
            conversation=conversation.id,
            response_id=said.response_id,
            complete=said.is_complete,
            is_redo=place.is_redo,
        )
        self._keep(turn)
        call.mark(turn, turn.drift, turn.explanation)
        if before and turn.drift:
            self._mark_choices(call, said, conversation.tracker.scorer, before)
        self._tell(turn)

    def _advance(self, conversation: Conversation, asked: Asked, said: Said, user: str) -> None:
        """Move the history of a conversation on by the first answer; the others may be taken."""
        owner, before = self.conversations.owner(asked), conversation.history
        finals = [asked.prefill + reply.text for reply in said.replies if reply.is_final]
        after = [before.then(owner, Exchange(user, text)) for text in finals]
        conversation.earlier.append(before.chain)
        conversation.history, conversation.pending = after[0], ""
        conversation.others = tuple(history.chain for history in after[1:])

    def _mark_choices(
        self, call: Call, said: Said, scorer: DriftScorer, before: ScorerState
    ) -> None:
        """Mark each of several answers with what it would be if it were taken."""
        results: dict[int, TurnResult] = {}
        for reply in said.replies:
            if reply.is_final:
                _, results[reply.index] = scorer.step(before, call.asked.user, reply.text)
        for target in call.targets:
            for choice in held(target, "choices") or ():
                result = results.get(held(choice, "index"))
                if result:
                    mark(choice, result, result.drift, result.explanation or "")

    def _fail(self, call: Call, said: Said, error: BaseException) -> None:
        """Keep a turn that could not be scored."""
        reason = Text.of(f"{type(error).__name__}: {error}", None).user
        call.mark(None, None, f"Not scored: {reason}")
        if said.reply is None:
            return
        words = Text.of(call.asked.user, said.reply.text)
        turn = ClientTurn(
            user_message=words.user,
            assistant_response=words.assistant,
            explanation=f"Not scored: {reason}",
            conversation=call.conversation or call.asked.key or "",
            response_id=said.response_id,
            complete=said.is_complete,
            error=reason,
        )
        self._keep(turn)
        call.mark(turn, None, turn.explanation)
        self._tell(turn)

    def _tell(self, turn: ClientTurn) -> None:
        if self._on_turn:
            with self.boundary("calling on_turn"):
                self._on_turn(turn)

    def _keep(self, turn: ClientTurn) -> None:
        with self._lock:
            self._turns.append(turn)
            while len(self._turns) > self._max_turns:
                self._turns.popleft()
                self.dropped += 1


def _goes_on(asked: Asked) -> bool:
    """Return whether what the user said must be kept: the next request may not tell it again."""
    return asked.wire is Wire.RESPONSES or asked.key is not None


def _running(conversation: Conversation) -> DriftScore | None:
    tracker = conversation.tracker
    return tracker.check().drift if tracker.mode == "always" else None


def _nothing() -> None:
    """Do nothing: the marks are made with the score."""
