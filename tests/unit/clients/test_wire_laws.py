"""Laws of what is read of requests and responses, without a client."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_service import Answer, _chat, _messages, _responses

from langchain_drift.clients.asked import Exchange, read_request
from langchain_drift.clients.event_stream import EventStream
from langchain_drift.clients.history import History
from langchain_drift.clients.said import read_response
from langchain_drift.clients.streamed import body_of
from langchain_drift.clients.wire import Wire, wire_of

FORMATS = {Wire.CHAT: _chat, Wire.RESPONSES: _responses, Wire.MESSAGES: _messages}
TEXTS = st.text('ab \n\r\u2028\x00:"\\{}[é漢😀', max_size=40)
SAID = TEXTS.filter(str.strip)
CUTS = st.lists(st.integers(0, 4000), max_size=12)


def cut(data, cuts):
    """Cut bytes at some places."""
    places = sorted({0, len(data), *(c % (len(data) + 1) for c in cuts)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


@given(st.lists(TEXTS, max_size=5), st.sampled_from(["\n", "\r\n", "\r"]), CUTS)
def test_events_are_the_same_wherever_their_bytes_are_cut(texts, end, cuts):
    """Cutting a stream of events anywhere, in a character too, changes none of them."""
    data = [json.dumps(text, ensure_ascii=False) for text in texts]
    lines = [f": ping{end}event: x{end}data: {item}{end}{end}" for item in data]
    events = EventStream()
    found = [e for part in cut("".join(lines).encode(), cuts) for e in events.feed(part)]
    assert found + events.end() == data


@pytest.mark.parametrize("wire", list(Wire))
@given(text=TEXTS, calls=st.sampled_from(["", "look"]), refusal=st.booleans(), cuts=CUTS)
@settings(max_examples=30)
def test_a_stream_says_what_the_whole_response_says(wire, text, calls, refusal, cuts):
    """The events of a response, however cut, say the same as the response in one piece."""
    refusal = refusal and wire is not Wire.MESSAGES
    whole, events = FORMATS[wire](Answer(text, calls=calls, refusal=refusal), 7)
    body = body_of(wire, "text/event-stream; charset=utf-8")
    for part in cut("".join(events).encode(), cuts):
        body.feed(part)
    assert _finals(body.said()) == _finals(read_response(wire, whole))
    assert body.said().is_complete
    assert body.said().response_id == whole["id"]


@given(texts=st.lists(SAID, min_size=2, max_size=4))
@settings(max_examples=30)
def test_several_streamed_answers_stay_apart(texts):
    """With `n` each answer of a stream is the one of the whole response."""
    whole, events = _chat(Answer(texts[0], others=tuple(texts[1:])), 7)
    body = body_of(Wire.CHAT, "text/event-stream")
    body.feed("".join(events).encode())
    assert [reply.text for reply in body.said().replies] == texts
    assert body.said() == read_response(Wire.CHAT, whole)


def test_a_response_that_was_cut_off_says_nothing():
    """Half a JSON document is no reply and not complete."""
    body = body_of(Wire.CHAT, "application/json")
    body.feed(b'{"choices": [{"message": {"content": "Pro')
    assert body.said().replies == ()
    assert not body.said().is_complete


@given(st.lists(st.tuples(SAID, SAID), max_size=5), SAID)
@settings(max_examples=40)
def test_a_request_tells_its_exchanges(pairs, asked):
    """Messages are read as the exchanges before and the newest words, in every format."""
    messages = [
        message
        for question, answer in pairs
        for message in (_message("user", question), _message("assistant", answer))
    ]
    messages.append(_message("user", asked))
    for wire in Wire:
        name = "input" if wire is Wire.RESPONSES else "messages"
        read = read_request(wire, {name: messages})
        assert read.history == tuple(Exchange(*pair) for pair in pairs)
        assert read.user == asked


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": None},
        {"messages": 3},
        {"messages": iter([])},
        {"messages": {"role": "user"}},
    ],
)
def test_a_request_without_messages_is_none(body):
    """What cannot be read is not read, and an iterator is not used up."""
    assert read_request(Wire.CHAT, body) is None


@given(st.lists(st.one_of(st.none(), st.integers(), TEXTS, st.dictionaries(TEXTS, TEXTS))))
def test_no_messages_break_the_reading(messages):
    """Whatever stands in the list of messages, it is read as what it says, or as nothing."""
    for wire in Wire:
        name = "input" if wire is Wire.RESPONSES else "messages"
        read = read_request(wire, {name: messages})
        assert read is None or isinstance(read.user, str)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), TEXTS)
def test_a_history_is_known_by_what_was_said(pairs, person):
    """Equal exchanges have one hash, spaces aside; other ones or other persons another."""
    exchanges = [Exchange(*pair) for pair in pairs]
    spaced = [Exchange(f" {user}\n", f"{answer}  ") for user, answer in pairs]
    one, other = History.of(person, exchanges), History.of(person, spaced)
    assert one == other
    assert one.length == len(pairs)
    if pairs:
        assert History.of(f"{person}x", exchanges).chain != one.chain
        assert History.of(person, exchanges[:-1]).chain != one.chain
        assert not one.is_cut_from(one)


@given(st.lists(st.tuples(SAID, SAID), min_size=2, max_size=7), st.integers(1, 6))
def test_the_end_of_a_history_is_cut_from_it(pairs, kept):
    """A history without its beginning is recognised; one of the same length is not."""
    exchanges = [Exchange(*pair) for pair in pairs]
    whole, end = History.of("", exchanges), History.of("", exchanges[-kept:])
    assert end.is_cut_from(whole) == (kept < len(pairs))
    assert not whole.is_cut_from(end)


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("/chat/completions", Wire.CHAT),
        ("/deployments/m/chat/completions?api-version=1", Wire.CHAT),
        ("/responses", Wire.RESPONSES),
        ("/v1/messages?beta=true", Wire.MESSAGES),
        ("/v1/messages/count_tokens", None),
        ("/v1/messages/batches", None),
        ("/responses/input_tokens", None),
        ("/threads/t1/messages", None),
        ("/embeddings", None),
    ],
)
def test_only_turns_of_conversations_are_watched(url, wire):
    """A request is known by where it goes; reading one is none."""
    assert wire_of("post", url) is wire
    assert wire_of("GET", url) is None


def _message(role, text):
    return {"role": role, "content": text}


def _finals(said):
    return [reply.text for reply in said.replies if reply.is_final]
