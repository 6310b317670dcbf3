"""Responses of wrapped clients: the same as without, with the drift of their turn."""

import copy
import gc
import inspect
from itertools import count

import pytest
from local_service import Answer
from sdk_doors import EXAMPLES, PURPOSE, QUESTION, done, opened, read, settled, user

from langchain_drift import DriftTracker, TokenOverlapStrategy

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

LOAN = Answer().text


def score_of(*turns):
    """Return what a tracker of the same kind scores for some turns."""
    tracker = DriftTracker(PURPOSE, strategies=[TokenOverlapStrategy()])
    return [tracker.record_turn(*turn) for turn in turns][-1].drift.score


async def test_a_response_has_the_drift_of_its_turn(door):
    """A response has the score and explanation that a tracker gives for what was said."""
    client = door.wrap()
    response = await door.ask(client)
    assert response._drift.score == score_of((QUESTION, LOAN)) > 0
    assert response._drift_explanation
    turn = client.drift.of(response)
    assert (turn.user_message, turn.assistant_response) == (QUESTION, LOAN)
    assert (turn.response_id, turn.complete, turn.error) == (response.id, True, None)
    assert client.drift.turns == (turn,)
    assert not client.drift.errors


async def test_a_response_is_the_same_as_without(door):
    """Class, fields, dumps and equality of a response do not know of its drift."""
    plain, watched = await door.ask(door.client), await door.ask(door.wrap())
    assert type(plain) is type(watched)
    twin = watched.model_copy(update={"id": plain.id})
    assert twin == plain
    assert twin.model_dump(warnings=False) == plain.model_dump(warnings=False)
    assert twin.to_json() == plain.to_json()
    assert repr(twin) == repr(plain)
    assert copy.deepcopy(watched)._drift == watched._drift


async def test_a_request_is_the_same_as_without(door):
    """What is sent, headers included, does not know of the wrapping."""
    await door.ask(door.client, extra_body={"x": 1})
    await door.ask(door.wrap(), extra_body={"x": 1, "drift_conversation": "42"})
    plain, watched = door.service.requests
    moving = {"x-stainless-retry-count", "Idempotency-Key"}
    headers = [
        {k: v for k, v in r.pop("headers").items() if k not in moving} for r in (plain, watched)
    ]
    assert plain == watched
    assert headers[0] == headers[1]


async def test_a_stream_is_scored_when_it_ends(door):
    """A streamed response gives the same turn as one in a piece, marked on the stream."""
    client = door.wrap()
    stream = await door.ask(client, stream=True)
    assert stream._drift is None
    assert len(await read(stream)) > 2
    assert stream._drift.score == score_of((QUESTION, LOAN))
    turn = client.drift.of(stream)
    assert (turn.assistant_response, turn.complete) == (LOAN, True)
    assert turn.response_id
    assert client.drift.turns == (turn,)


async def test_a_streamed_response_is_the_same_as_without(door):
    """The events of a stream are those of the client itself."""
    both = []
    for client in (door.client, door.wrap()):
        door.service.numbers = count(1)
        both.append(await read(await door.ask(client, stream=True)))
    assert both[0] == both[1]
    assert [type(event) for event in both[0]] == [type(event) for event in both[1]]


@pytest.mark.parametrize("how", ["close", "leave"])
async def test_a_stream_that_is_closed_early_is_a_turn_with_what_was_said(door, how):
    """A stream closed or left by its block is a turn as far as it was read."""
    client = door.wrap()
    stream = await door.ask(client, stream=True)
    if how == "leave":
        async with opened(stream):
            await read(stream, most=6)
    else:
        await read(stream, most=6)
    if how == "close":
        await door.close(stream)
    (turn,) = client.drift.turns
    assert not turn.complete
    assert turn.assistant_response
    assert LOAN.startswith(turn.assistant_response)
    assert client.drift.of(stream) == turn


async def test_a_stream_that_is_dropped_is_a_turn_too(door):
    """A stream that nobody holds any more is closed, and a turn as far as it was read."""
    if door.wire == "responses":
        pytest.skip("its streams are those of chat")
    gc.freeze()  # So that collecting is quick.
    client = door.wrap()
    stream = await door.ask(client, stream=True)
    await read(stream, most=6)
    del stream
    await settled(lambda: (gc.collect(), client.drift.turns)[1])
    gc.unfreeze()
    (turn,) = client.drift.turns
    assert not turn.complete
    assert LOAN.startswith(turn.assistant_response)


async def test_a_stream_that_is_cut_off_raises_as_it_did_and_is_a_turn(door):
    """A connection that breaks is the SDK's own error; what was said is an unfinished turn."""
    client = door.wrap()
    errors = []
    for one in (door.client, client):
        door.service.will(Answer(cut=6))
        stream = await door.ask(one, stream=True)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, it is the same
            await read(stream)
        errors.append(caught.value)
    assert type(errors[0]) is type(errors[1])
    (turn,) = client.drift.turns
    assert not turn.complete
    assert LOAN.startswith(turn.assistant_response)


@pytest.mark.parametrize("status", [400, 429, 500, 529])
async def test_an_error_of_the_service_is_raised_and_is_no_turn(door, status):
    """What the service refuses is the SDK's own error, and no turn."""
    client = door.wrap()
    errors = []
    for one in (door.client, client):
        door.service.will(Answer(status=status))
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, it is the same
            await door.ask(one)
        errors.append(caught.value)
    assert type(errors[0]) is type(errors[1])
    assert errors[1].status_code == status
    assert client.drift.turns == ()
    assert not client.drift.errors


async def test_retries_of_the_sdk_are_one_turn(door):
    """A request that the SDK sends again after a 500 is one turn."""
    client = door.wrap().with_options(max_retries=1)
    door.service.will(Answer(status=500), Answer())
    client._calculate_retry_timeout = lambda *args, **kwargs: 0
    response = await door.ask(client)
    assert len(door.service.requests) == 2
    assert client.drift.of(response) == client.drift.turns[0]
    assert len(client.drift.turns) == 1


async def test_a_raw_response_has_the_drift_too(door):
    """`with_raw_response` gives the raw response; it and what it is parsed to are marked."""
    client = door.wrap()
    raw = await done(door.resource(client).with_raw_response.create(**door.request(user(QUESTION))))
    assert raw.headers["content-type"] == "application/json"
    parsed = await done(raw.parse())
    assert raw._drift == parsed._drift
    assert parsed._drift.score == score_of((QUESTION, LOAN))
    assert client.drift.of(raw) == client.drift.turns[0]


async def test_a_raw_response_that_streams_has_the_drift_too(door):
    """The stream that a raw response is parsed to is scored when it ends."""
    client = door.wrap()
    request = door.request(user(QUESTION), stream=True)
    raw = await done(door.resource(client).with_raw_response.create(**request))
    stream = await done(raw.parse())
    await read(stream)
    assert stream._drift == raw._drift
    assert client.drift.of(stream).assistant_response == LOAN


@pytest.mark.parametrize("way", ["parse", "read", "lines", "unread"])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_streaming_response_is_seen_however_it_is_read(door, way, stream):
    """`with_streaming_response` is scored whether it is parsed, read, or iterated by lines."""
    client = door.wrap()
    request = door.request(user(QUESTION), **({"stream": True} if stream else {}))
    async with opened(door.resource(client).with_streaming_response.create(**request)) as response:
        if way == "parse":
            parsed = await done(response.parse())
            if stream:
                await read(parsed)
        elif way == "read":
            await done(response.read())
        elif way == "lines":
            await read(response.iter_lines())
    if way == "unread":
        assert client.drift.turns == ()
        return
    (turn,) = client.drift.turns
    assert (turn.assistant_response, turn.complete) == (LOAN, True)
    assert client.drift.of(response) == turn
    if way == "parse":
        assert client.drift.of(parsed) == turn


async def test_the_stream_helper_is_seen(door):
    """`stream(…)` of each SDK is scored, and its final object finds its turn."""
    client = door.wrap()
    async with opened(door.resource(client).stream(**door.request(user(QUESTION)))) as stream:
        await read(stream)
        names = {"chat": "completion", "responses": "response", "messages": "message"}
        final = await done(getattr(stream, f"get_final_{names[door.wire]}")())
    (turn,) = client.drift.turns
    assert turn.assistant_response == LOAN
    assert client.drift.of(stream) == turn
    assert client.drift.of(final) == turn


async def test_parse_is_seen(door):
    """`parse` gives the parsed response with the drift of its turn."""
    client = door.wrap()
    response = await done(door.resource(client).parse(**door.request(user(QUESTION))))
    assert response._drift.score == score_of((QUESTION, LOAN))


async def test_a_refusal_is_what_was_said(door):
    """A refusal in a field of its own is the reply."""
    if door.wire == "messages":
        pytest.skip("this format has no such field")
    client = door.wrap()
    for stream in (False, True):
        door.service.will(Answer("I can't help with that.", refusal=True))
        response = await door.ask(client, stream=stream)
        if stream:
            await read(response)
        assert client.drift.of(response).assistant_response == "I can't help with that."


async def test_blocks_and_objects_in_messages_are_read(door):
    """Text blocks count, images do not, and messages may be objects of the SDK."""
    client = door.wrap()
    text = "input_text" if door.wire == "responses" else "text"
    image = {
        "chat": {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        "responses": {"type": "input_image", "image_url": "data:image/png;base64,AA"},
        "messages": {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AA"},
        },
    }[door.wire]
    asked = {"role": "user", "content": [{"type": text, "text": QUESTION}, image]}
    response = await door.ask(client, asked)
    said = {
        "chat": lambda: [response.choices[0].message],
        "responses": lambda: response.output,
        "messages": lambda: [{"role": "assistant", "content": response.content}],
    }[door.wire]()
    second = await door.ask(client, asked, *said, "And the fee?")
    first, last = client.drift.turns
    assert first.user_message == QUESTION
    assert last.user_message == "And the fee?"
    assert second._drift.turn_number == 2
    assert first.conversation == last.conversation


async def test_few_shot_examples_and_options_are_the_trackers(door):
    """Examples and options reach the trackers of all conversations."""
    client = door.wrap(few_shot_examples=EXAMPLES, explain_fn=lambda result, purpose: "so")
    response = await door.ask(client)
    assert response._drift_explanation == "so"
    assert client.tracker.scorer.purpose.examples == tuple(EXAMPLES)


async def test_on_demand_scores_when_it_is_asked_for(door):
    """In mode `ondemand` a response has no score; `drift_check` scores what waits."""
    client = door.wrap(mode="ondemand")
    response = await door.ask(client)
    assert response._drift is None
    assert client.drift_check().drift.score == score_of((QUESTION, LOAN))
    assert (await client.adrift_check()).total_turns == 1


async def test_without_a_prompt_the_requests_own_counts(door):
    """Without `system_prompt` a conversation is held against the system prompt of its request."""
    client = door.wrap(None)
    response = await door.ask(client, system=PURPOSE)
    assert response._drift.score == score_of((QUESTION, LOAN))
    other = await door.ask(client, system="Help with violins.")
    assert other._drift.score < response._drift.score
    assert len(client.drift.conversations) == 2


async def test_other_calls_are_left_alone(door):
    """Calls that are no turn go through untouched."""
    client = door.wrap()
    assert (await read(client.models.list()) if door.is_async else list(client.models.list())) == []
    if door.wire == "messages":
        counted = client.messages.count_tokens(model="m", messages=[user(QUESTION)])
        assert (await done(counted)).input_tokens == 1
    else:
        made = await done(client.embeddings.create(model="m", input=QUESTION))
        assert made.data[0].embedding == [1.0]
    assert client.drift.turns == ()
    assert not client.drift.errors


def test_the_signature_is_the_clients_own(door):
    """Methods of a wrapped client have the signature and the docstring of the client's own."""
    client = door.wrap()
    for name in ("create", "parse", "stream"):
        own, watched = (getattr(door.resource(c), name) for c in (door.client, client))
        assert inspect.signature(own) == inspect.signature(watched)
        assert own.__doc__ == watched.__doc__
    for name in ("copy", "with_options"):
        own, watched = getattr(door.client, name), getattr(client, name)
        assert inspect.signature(own) == inspect.signature(watched)
