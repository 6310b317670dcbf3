"""Wrapped clients are clients of their own class; the given ones stay as they are."""

import asyncio
import copy
import functools
import inspect
import sys
import threading

import pytest
from local_service import Answer
from sdk_doors import PURPOSE, QUESTION, Door, done, read, settled, user

import langchain_drift
from langchain_drift import DriftTracker, InvalidInputError, Strategy, TokenOverlapStrategy
from langchain_drift.clients import DriftClient, wrap
from langchain_drift.clients.options import TrackerOptions
from langchain_drift.conversation.strategy import Judgement

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_a_wrapped_client_is_of_its_own_class(door):
    """It is an instance of the client's class and a `DriftClient`, and named alike."""
    client = door.wrap()
    assert isinstance(client, type(door.client))
    assert isinstance(client, DriftClient)
    assert not isinstance(door.client, DriftClient)
    assert type(client).__name__ == type(door.client).__name__
    assert client.api_key == "k"
    assert client.base_url == door.client.base_url


async def test_the_given_client_stays_as_it_is(door):
    """Neither attributes nor calls of the given client change, whatever was used before."""
    await door.ask(door.client)
    before = dict(vars(door.client))
    client = door.wrap()
    await door.ask(client)
    assert vars(door.client) == before
    response = await door.ask(door.client)
    assert not hasattr(response, "_drift")
    assert len(client.drift.turns) == 1


async def test_a_client_wrapped_twice_is_watched_by_each_for_itself(door):
    """Wrapping a wrapped client makes another one; each has its own turns."""
    first = door.wrap()
    second = wrap(first, "Help with violins.", strategies=[TokenOverlapStrategy()])
    await door.ask(second)
    assert (len(first.drift.turns), len(second.drift.turns)) == (0, 1)
    response = await door.ask(first)
    assert (len(first.drift.turns), len(second.drift.turns)) == (1, 1)
    assert response._drift.score > 0
    assert second.drift.turns[0].drift.score == 0


@pytest.mark.parametrize("way", ["with_options", "copy", "copy.copy"])
async def test_a_copy_is_watched_with_its_original(door, way):
    """Copies with other options share turns and conversations, and stay of the class."""
    client = door.wrap()
    if way == "copy.copy":
        other = copy.copy(client)
    else:
        other = getattr(client, way)(timeout=7, default_headers={"x-own": "1"})
        assert other.timeout == 7
    await door.ask(other)
    assert isinstance(other, type(door.client))
    assert client.drift.turns == other.drift.turns != ()
    assert ("x-own" in door.service.requests[0]["headers"]) == (way != "copy.copy")


async def test_a_copy_of_a_bound_client_stays_bound(door):
    """`with_options` keeps the conversation that the client is bound to."""
    client = door.wrap()
    await door.ask(client.with_conversation("42").with_options(timeout=7))
    await door.ask(client)
    assert client.drift.turns[0].conversation == "42" != client.drift.turns[1].conversation


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_subclass_of_a_user_keeps_what_it_adds(service, make_client, is_async):
    """A class of the user with a constructor and methods of its own is wrapped as it is."""
    made = make_client("chat", is_async=is_async)

    class Own(type(made)):
        def __init__(self, flavour, **options):
            super().__init__(**options)
            self.flavour = flavour

        def ours(self):
            return self.flavour

    own = Own("x", api_key="k", base_url=made.base_url, http_client=made._client)
    client = wrap(own, PURPOSE, strategies=[TokenOverlapStrategy()])
    assert isinstance(client, Own)
    assert client.ours() == "x"
    await Door("chat", is_async, service, own).ask(client)
    assert len(client.drift.turns) == 1


@pytest.mark.parametrize("is_async", [False, True])
async def test_azure_clients_are_watched(service, make_client, is_async):
    """Azure clients, whose paths name a deployment, are watched too."""
    azure = {"azure_endpoint": service.url, "base_url": None, "api_version": "1"}
    made = make_client("chat", is_async=is_async, kind="AzureOpenAI", **azure)
    client = wrap(made, PURPOSE, strategies=[TokenOverlapStrategy()])
    assert isinstance(client, type(made))
    response = await Door("chat", is_async, service, made).ask(client.with_options(timeout=7))
    assert response._drift.score > 0
    assert service.requests[0]["path"] == "/openai/deployments/m/chat/completions?api-version=1"


def test_the_beta_is_watched(service, make_client):
    """The beta of the Messages API is watched too."""
    made = make_client("messages", is_async=False)
    client = wrap(made, PURPOSE, strategies=[TokenOverlapStrategy()])
    asked = [user(QUESTION)]
    response = client.beta.messages.create(model="m", max_tokens=9, messages=asked, betas=["x"])
    assert response._drift.score > 0
    assert service.requests[0]["headers"]["anthropic-beta"] == "x"


@pytest.mark.parametrize(
    ("client", "named"),
    [
        (None, "None"),
        (object(), "<object object"),
        ("gpt-4o", "'gpt-4o'"),
        (langchain_drift, "module"),
    ],
)
def test_another_client_is_refused(client, named):
    """What is no client of the two SDKs is refused in a sentence that says what to do."""
    with pytest.raises(InvalidInputError, match=r"DriftTracker\.record_turn\(\)") as caught:
        wrap(client, PURPOSE)
    assert named in str(caught.value)


async def test_a_client_that_others_patched_is_refused_and_may_be_patched_after(door):
    """A method that was replaced would be lost, so it is named; the other order works."""
    client = door.wrap()
    for one in (door.client, client):
        resource = door.resource(one)
        resource.create = functools.partial(resource.create, extra_headers={"x-own": "1"})
    with pytest.raises(
        InvalidInputError, match=r"(completions|responses|messages)\.create of this"
    ):
        door.wrap()
    response = await door.ask(client)
    assert response._drift.score > 0
    assert door.service.requests[-1]["headers"]["x-own"] == "1"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"system_prompt": 3}, "system_prompt must be a string, not int"),
        ({"mode": "sometimes"}, "mode must be one of always, ondemand, not 'sometimes'"),
        ({"strategies": []}, "strategies must not be empty"),
        ({"few_shot_examples": 3}, "few_shot_examples must be a list"),
        ({"colour": "red"}, "no parameter 'colour'"),
        ({"session_id": "a"}, "no parameter 'session_id'"),
        ({"timeout": -1}, "timeout is -1"),
        ({"max_turns": 0}, "max_turns is 0"),
        ({"persist": True}, "persist keeps one conversation"),
        ({"max_conversations": 0}, "max_conversations is 0"),
        ({"on_turn": 3}, "on_turn must be a plain function"),
        ({"on_turn": done}, "on_turn must be a plain function"),
    ],
)
def test_a_wrong_parameter_is_refused_at_once(make_client, options, named):
    """What cannot be is told when the client is wrapped, not at the first turn."""
    with pytest.raises(InvalidInputError, match=r".") as caught:
        wrap(make_client("chat", is_async=False), **{"system_prompt": PURPOSE, **options})
    assert named in str(caught.value)


def test_the_types_know_the_parameters_of_a_tracker():
    """What `wrap` passes on is typed, each parameter of the tracker that is not its own."""
    parameters = set(inspect.signature(DriftTracker).parameters)
    own = {"system_prompt", "few_shot_examples", "session_id", "persist", "persist_path"}
    assert set(TrackerOptions.__annotations__) == parameters - own


def test_a_conversation_must_have_a_name(door):
    """A client is bound to a name, not to something else."""
    with pytest.raises(InvalidInputError, match="conversation must be a name"):
        door.wrap().with_conversation("")


def test_no_name_of_ours_hides_one_of_the_clients(door):
    """What a wrapped client has more is not there in the client itself."""
    ours = {name for name in vars(DriftClient) if not name.startswith("__")}
    assert not [name for name in ours if hasattr(door.client, name)]


async def test_a_wrapped_client_shows_its_turns(door):
    """`client.drift` is a table of the last turns."""
    client = door.wrap()
    await door.ask(client.with_conversation("<42>"))
    await door.ask(client.with_conversation("43"))
    assert "What do I need for a home loan?" in repr(client.drift)
    assert "&lt;42&gt;" in client.drift._repr_html_()


async def test_reset_begins_a_conversation_again(door):
    """`reset` forgets the turns of a conversation, and no other's."""
    client = door.wrap()
    for key in ("a", "b", "a"):
        await door.ask(client, extra_body={"drift_conversation": key})
    client.reset("a")
    assert client.drift_check("a").total_turns == 0
    assert client.drift_check("b").total_turns == 1


BROKEN = "the scorer broke"


class Failing(Strategy):
    """Fails at chosen turns, or hangs until it is let go."""

    name = "failing"

    def __init__(self, *fails, gate=None):
        self.fails, self.gate, self.seen = set(fails), gate, 0

    def start(self):
        return {}

    def step(self, purpose, state, turn):
        self.seen += 1
        if self.gate:
            self.gate.wait(10)
        if self.seen in self.fails:
            raise RuntimeError(BROKEN)
        return state, Judgement(score=50)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_scorer_that_fails_costs_no_response(door, stream, caplog):
    """The response comes; the error is counted, logged once, and told by the turn."""
    client = door.wrap(strategies=[Failing(1, 2)])
    for _ in range(3):
        response = await door.ask(client.with_conversation("42"), stream=stream)
        if stream:
            await read(response)
        else:
            assert response.id
    assert client.drift.errors == {"scoring: RuntimeError": 2}
    assert sum("could not be watched" in r.message for r in caplog.records) == 1
    assert "client.drift.errors" in caplog.text
    errors = [turn.error for turn in client.drift.turns]
    assert errors == ["RuntimeError: the scorer broke"] * 2 + [None]
    assert response._drift.turn_number == 1
    assert client.drift.turns[0].explanation == "Not scored: RuntimeError: the scorer broke"


async def test_a_conversation_goes_on_after_a_turn_that_could_not_be_scored(door):
    """The next turn is of the same conversation, though one turn of it has no score."""
    heard = []
    client = door.wrap(strategies=[Failing(2)], on_turn=heard.append)
    messages = []
    for number in range(3):
        messages.append(user(f"Question {number}?"))
        await door.ask(client, *messages)
        messages.append({"role": "assistant", "content": Answer().text})
    assert len({turn.conversation for turn in client.drift.turns}) == 1
    assert [turn.error is None for turn in client.drift.turns] == [True, False, True]
    assert [turn.drift and turn.drift.turn_number for turn in heard] == [1, None, 2]


async def test_a_failed_turn_has_no_drift(door):
    """A response whose turn could not be scored has None as drift, and says why."""
    client = door.wrap(strategies=[Failing(1)])
    response = await door.ask(client)
    assert response._drift is None
    assert response._drift_explanation == "Not scored: RuntimeError: the scorer broke"


async def test_a_scorer_that_hangs_holds_up_one_response_for_the_timeout(door):
    """The response comes after `timeout`; the score is marked on it when it comes."""
    gate = threading.Event()
    client = door.wrap(strategies=[Failing(gate=gate)], timeout=0.05)
    responses = [await door.ask(client.with_conversation("42")) for _ in range(3)]
    assert [response._drift for response in responses] == [None] * 3
    assert client.drift.turns == ()
    assert client.drift.errors == {"scoring: TimeoutError": 3}
    gate.set()
    await settled(lambda: len(client.drift.turns) == 3)
    assert [turn.conversation for turn in client.drift.turns] == ["42"] * 3
    assert sorted(response._drift.turn_number for response in responses) == [1, 2, 3]


async def test_an_explanation_or_a_listener_that_fails_costs_no_response(door):
    """Functions of the user that fail are counted like everything else."""

    def fails(*args):
        raise ValueError(BROKEN)

    client = door.wrap(explain_fn=fails)
    assert (await door.ask(client)).id
    assert client.drift.errors == {"scoring: ValueError": 1}
    client = door.wrap(on_turn=fails)
    response = await door.ask(client)
    assert response._drift.score > 0
    assert client.drift.errors == {"calling on_turn: ValueError": 1}


async def test_a_listener_hears_every_turn(door):
    """`on_turn` is called with each turn once it is scored."""
    heard = []
    client = door.wrap(on_turn=heard.append)
    for _ in range(2):
        await door.ask(client)
    assert tuple(heard) == client.drift.turns


async def test_events_that_cannot_be_read_cost_no_stream(door, monkeypatch):
    """A stream goes on whatever is wrong with reading along."""
    client = door.wrap()

    def breaks(self, event):
        raise KeyError(BROKEN)

    for name in ("_ChatSpoken", "_ResponsesSpoken", "_MessagesSpoken"):
        monkeypatch.setattr(f"langchain_drift.clients.streamed.{name}.take", breaks)
    stream = await door.ask(client, stream=True)
    assert len(await read(stream)) > 2
    assert "reading a stream: KeyError" in client.drift.errors


async def test_a_stream_of_another_kind_is_told_and_not_passed_over(door):
    """A stream that cannot be read along, as Bedrock's, is counted; the caller reads it."""
    client = door.wrap()
    door.service.will(Answer(kind="application/vnd.amazon.eventstream"))
    stream = await door.ask(client, stream=True)
    assert len(await read(stream)) > 2
    assert client.drift.errors == {"reading a response: ValueError": 1}
    assert client.drift.turns == ()


async def test_a_task_that_is_cancelled_while_it_waits_is_cancelled(service, make_client):
    """A cancelled task ends as cancelled; the turn is taken all the same."""
    gate = threading.Event()
    made = make_client("chat", is_async=True)
    strategy = Failing(gate=gate)
    client = wrap(made, PURPOSE, strategies=[strategy])
    door = Door("chat", is_async=True, service=service, client=made)
    task = asyncio.create_task(door.ask(client))
    await settled(lambda: strategy.seen)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    await settled(lambda: client.drift.turns)
    assert client.drift.turns[0].assistant_response == Answer().text


def test_no_sdk_is_imported_for_it(monkeypatch):
    """`wrap` imports neither SDK: who has a client has loaded its own."""
    for name in ("openai", "anthropic"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(InvalidInputError):
        wrap(3)
    assert not {"openai", "anthropic"} & set(sys.modules)
