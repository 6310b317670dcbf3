"""Whatever order requests come in, each turn is scored by what its own request tells."""

from hypothesis import given, settings
from hypothesis import strategies as st
from sdk_doors import PURPOSE

from langchain_drift import DriftTracker, TokenOverlapStrategy
from langchain_drift.callbacks.boundary import Boundary
from langchain_drift.callbacks.deadline import Deadline
from langchain_drift.clients.asked import Asked, Exchange
from langchain_drift.clients.call import Call
from langchain_drift.clients.conversations import Conversations
from langchain_drift.clients.options import Trackers
from langchain_drift.clients.recorder import Recorder
from langchain_drift.clients.said import Reply, Said
from langchain_drift.clients.wire import Wire

WORDS = st.sampled_from(
    ["savings accounts", "credit cards", "home loans", "pasta", "violins", "hi"]
)
STEPS = st.lists(
    st.tuples(st.integers(0, 30), WORDS, WORDS, st.sampled_from(["", "ann"])), max_size=14
)


class Shell:
    """A recorder with conversations of its own; what is asked is scored at once."""

    def __init__(self, most=100):
        trackers = Trackers.of(PURPOSE, None, {"strategies": [TokenOverlapStrategy()]})
        self.conversations = Conversations(trackers.make, most, by_system=False)
        self.boundary = Boundary()
        self.recorder = Recorder(
            conversations=self.conversations,
            deadline=Deadline(5),
            boundary=self.boundary,
            max_turns=1000,
            on_turn=None,
        )

    def ask(self, history, exchange, person="", key=None):
        asked = Asked(Wire.CHAT, exchange.user, tuple(history), person=person, key=key)
        said = Said((Reply(exchange.assistant),))
        for job in self.recorder.finish(Call(asked), said):
            job.done.result(5)
        return self.recorder.turns()[-1]


def scored(path):
    """Return what a tracker of its own says of the last exchange of a conversation."""
    tracker = DriftTracker(PURPOSE, strategies=[TokenOverlapStrategy()])
    return [tracker.record_turn(*exchange) for exchange in path][-1].drift


@given(STEPS)
@settings(max_examples=40, deadline=None)
def test_a_turn_is_scored_by_what_its_request_tells(steps):
    """In any tree of conversations, begun, gone on with, edited and answered again."""
    shell, paths = Shell(), [((), "")]
    for choice, user, answer, new in steps:
        history, person = paths[choice % len(paths)]
        person = person if history else new
        path = (*history, Exchange(user, answer))
        turn, alone = shell.ask(history, path[-1], person), scored(path)
        assert (turn.drift.score, turn.drift.turn_number) == (alone.score, alone.turn_number)
        paths.append((path, person))
    assert shell.boundary.counts == {}


@given(STEPS, st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_forgetting_conversations_changes_no_score(steps, most):
    """A conversation that was let go is scored as it would have been."""
    shell, paths = Shell(most), [()]
    for number, (choice, user, answer, _) in enumerate(steps):
        history = paths[choice % len(paths)]
        path = (*history, Exchange(f"{user} {number}", answer))
        assert shell.ask(history, path[-1]).drift.score == scored(path).score
        assert len(shell.conversations.ids()) <= most
        paths.append(path)


def test_an_edit_is_not_taken_for_the_end_of_another_conversation():
    """A history that is known as the beginning of one conversation is no end of another."""
    shell, hello, more = Shell(), Exchange("hi", "Hello!"), Exchange("pasta", "Boil water.")
    shell.ask([], hello)
    shell.ask([hello], more)
    shell.ask([], more)
    shell.ask([more], hello)
    edited = shell.ask([hello], Exchange("credit cards", "home loans"))
    assert edited.drift.turn_number == 2
    assert len(shell.conversations.ids()) == 3


@given(STEPS)
@settings(max_examples=15, deadline=None)
def test_a_conversation_that_only_goes_on_keeps_its_name(steps):
    """Requests that each add one exchange are one conversation, with or without a name."""
    for key in (None, "42"):
        shell, path = Shell(), []
        for _, user, answer, _ in steps:
            shell.ask(path, Exchange(user, answer), key=key)
            path.append(Exchange(user, answer))
        turns = shell.recorder.turns()
        assert len({turn.conversation for turn in turns}) == min(1, len(steps))
        assert not any(turn.is_redo for turn in turns)
