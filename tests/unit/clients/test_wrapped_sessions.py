"""Sessions of conversations that go through a wrapped client."""

import pytest
from sdk_doors import PURPOSE, QUESTION, done

from langchain_drift import FrozenContextError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


async def test_a_session_ends_with_a_summary_in_the_managed_context(door):
    """`end_session` reports and summarises; later responses have the managed context."""
    client = door.wrap()
    first = await door.ask(client.with_conversation("42"))
    assert first._managed_context == PURPOSE
    report = await client.aend_session("42") if door.is_async else client.end_session("42")
    assert report.total_turns == 1
    assert client.end_session("42") is None
    context = client.get_managed_context("42")
    assert context.startswith(PURPOSE)
    assert QUESTION in context
    second = await door.ask(client.with_conversation("42"), "And for a card?")
    assert second._managed_context == context
    assert second._drift.turn_number == 1
    assert client.tracker.session_number == 2


async def test_sessions_of_conversations_are_apart(door):
    """Ending, freezing and clearing concern one conversation."""
    client = door.wrap()
    for key in "ab":
        await door.ask(client.with_conversation(key))
    client.end_session("a")
    client.freeze_context("a")
    with pytest.raises(FrozenContextError):
        client.clear_history("a")
    assert QUESTION not in client.get_managed_context("b")
    client.unfreeze_context("a")
    client.clear_history("a")
    assert client.get_managed_context("a") == PURPOSE
    assert client.drift_check("b").total_turns == 1


async def test_a_conversation_in_a_file_goes_on_after_a_restart(door, tmp_path):
    """With `persist` requests without a name are one conversation, as published."""
    path = tmp_path / ".session_memory"
    before = door.wrap(persist=True, persist_path=path)
    await door.ask(before)
    await door.ask(before, "And for a credit card?")
    await door.ask(before.with_conversation("x/y"))
    before.end_session()
    after = door.wrap(persist=True, persist_path=path)
    assert QUESTION in after.get_managed_context()
    assert after.drift_check("x/y").total_turns == 1
    response = await door.ask(after)
    assert response._drift.turn_number == 1
    assert after.tracker.session_number == 2
    names = {file.name for file in tmp_path.iterdir()}
    assert {".session_memory", ".session_memory-x%2Fy"} <= names


async def test_a_raw_response_has_the_managed_context_too(door):
    """What a raw response is parsed to has it like any response."""
    client = door.wrap()
    create = door.resource(client).with_raw_response.create
    raw = await done(create(**door.request({"role": "user", "content": QUESTION})))
    assert (await done(raw.parse()))._managed_context == raw._managed_context == PURPOSE
