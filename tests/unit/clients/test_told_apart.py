"""Conversations through one wrapped client are told apart."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from local_service import Answer
from sdk_doors import QUESTION, Door, assistant, done, opened, read, user

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


async def talk(door, client, *pairs, history=(), **more):
    """Hold a conversation as chat apps do, all of it in each request; return its messages."""
    messages = list(history)
    for asked, answered in pairs:
        door.service.will(Answer(answered))
        messages.append(user(asked))
        await door.ask(client, *messages, **more)
        messages.append(assistant(answered))
    return messages


async def test_conversations_are_told_by_their_history(door):
    """Two conversations that alternate are two, each with its own turns."""
    client = door.wrap()
    bank = await talk(door, client, (QUESTION, "Proof of income."))
    pasta = await talk(door, client, ("How do I cook pasta?", "Boil water."))
    await talk(door, client, ("And for a credit card?", "Your ID."), history=bank)
    await talk(door, client, ("And then?", "Add salt."), history=pasta)
    names = [turn.conversation for turn in client.drift.turns]
    assert names == [names[0], names[1], names[0], names[1]]
    assert len(set(names)) == 2
    assert [turn.drift.turn_number for turn in client.drift.turns] == [1, 1, 2, 2]
    assert client.drift_check(names[0]).total_turns == 2
    assert client.drift.tracker(names[1]).session_id == names[1]


async def test_conversations_that_begin_alike_part_where_they_differ(door):
    """Equal beginnings of two people go on as two conversations, each scored by its own turns."""
    client = door.wrap()
    first = await talk(door, client, ("Hi", "Hello!"))
    second = await talk(door, client, ("Hi", "Hello!"))
    await talk(door, client, (QUESTION, "Proof of income."), history=first)
    await talk(door, client, ("Pasta?", "Boil water."), history=second)
    names = [turn.conversation for turn in client.drift.turns]
    assert len(set(names[:2])) == len(set(names[2:])) == 2
    assert set(names[:2]) == set(names[2:])
    assert [turn.drift.turn_number for turn in client.drift.turns] == [1, 1, 2, 2]


@pytest.mark.parametrize("how", ["body", "bound", "metadata", "own"])
async def test_conversations_are_told_by_a_key(door, how):
    """A key names the conversation, whatever a request tells of the past."""
    if (how == "metadata" and door.wire == "messages") or (
        how == "own" and door.wire != "responses"
    ):
        pytest.skip("this format has no such field")
    client = door.wrap()
    for key in ("a", "b", "a"):
        more = {
            "body": {"extra_body": {"drift_conversation": key}},
            "metadata": {"metadata": {"thread_id": key}},
            "own": {"conversation": key},
        }.get(how, {})
        await door.ask(client.with_conversation(key) if how == "bound" else client, **more)
    assert [turn.conversation for turn in client.drift.turns] == ["a", "b", "a"]
    assert client.drift.conversations == ("b", "a")
    assert client.drift_check("a").total_turns == 2
    assert client.with_conversation("b").drift_check().total_turns == 1
    assert client.with_conversation("b").tracker.session_id == "b"
    assert all("drift_conversation" not in body for body in door.service.bodies)


async def test_a_message_edited_in_a_named_conversation_takes_the_place_of_what_followed(door):
    """A request that goes back in a named conversation is scored from there."""
    client = door.wrap().with_conversation("42")
    begun = await talk(door, client, (QUESTION, "Proof of income."))
    await talk(door, client, ("Pasta?", "Boil water."), history=begun)
    await talk(door, client, ("And for a card?", "Your ID."), history=begun)
    assert [turn.drift.turn_number for turn in client.drift.turns] == [1, 2, 2]
    assert [turn.is_redo for turn in client.drift.turns] == [False, False, True]
    assert client.drift_check().total_turns == 2


async def test_an_edited_message_is_scored_from_where_it_stands(door):
    """Without a key, an edit is a conversation of its own that knows what came before it."""
    client = door.wrap()
    begun = await talk(door, client, (QUESTION, "Proof of income."))
    await talk(door, client, ("Pasta?", "Boil water."), history=begun)
    await talk(door, client, ("And for a card?", "Your ID."), history=begun)
    turns = client.drift.turns
    assert [turn.drift.turn_number for turn in turns] == [1, 2, 2]
    assert turns[2].conversation != turns[1].conversation == turns[0].conversation


async def test_a_conversation_first_seen_in_its_middle_is_scored_from_its_beginning(door):
    """After a restart, what a request tells of the past is scored first."""
    before, after = door.wrap(), door.wrap()
    begun = await talk(door, before, (QUESTION, "Proof of income."), ("Pasta?", "Boil water."))
    await talk(door, before, ("And a card?", "Your ID."), history=begun)
    await talk(door, after, ("And a card?", "Your ID."), history=begun)
    assert after.drift.turns[0].drift.score == before.drift.turns[-1].drift.score
    assert after.drift.turns[0].drift.turn_number == 3


async def test_a_conversation_whose_beginning_is_left_out_goes_on(door):
    """A request with only the last exchanges goes on with its conversation."""
    client = door.wrap()
    pairs = [(f"Question {i} on my loan?", f"Answer {i}.") for i in range(5)]
    told = await talk(door, client, *pairs)
    await talk(door, client, ("Last one?", "Yes."), history=told[-4:])
    assert len(client.drift.conversations) == 1
    assert client.drift.turns[-1].drift.turn_number == 6


async def test_two_persons_are_two_conversations(door):
    """The same words of two users do not run together."""
    client = door.wrap()

    def of(name):
        return {"metadata": {"user_id": name}} if door.wire == "messages" else {"user": name}

    first = await talk(door, client, ("Hi", "Hello!"), **of("ann"))
    await talk(door, client, ("Hi", "Hello!"), **of("bob"))
    await talk(door, client, ("More?", "Yes."), history=first, **of("ann"))
    names = [turn.conversation for turn in client.drift.turns]
    assert names[0] == names[2] != names[1]


async def test_a_tool_call_is_no_turn(door):
    """A reply that calls a tool leaves the score; the turn ends with the text after the result."""
    client = door.wrap()
    door.service.will(Answer("Let me look.", calls="balance"), Answer("It is 12 euros."))
    response = await door.ask(client, "What is on my savings account?")
    assert response._drift.score == 100
    assert client.drift.of(response) is None
    assert client.drift.turns == ()
    call = {
        "chat": lambda: [
            response.choices[0].message,
            {"role": "tool", "tool_call_id": "t1", "content": "12"},
        ],
        "responses": lambda: [
            *response.output,
            {"type": "function_call_output", "call_id": "c1", "output": "12"},
        ],
        "messages": lambda: [
            {"role": "assistant", "content": response.content},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "12"}],
            },
        ],
    }[door.wire]()
    last = await door.ask(client, "What is on my savings account?", *call)
    (turn,) = client.drift.turns
    assert turn.user_message == "What is on my savings account?"
    assert turn.assistant_response == "It is 12 euros."
    assert last._drift.turn_number == 1
    assert not client.drift.errors


async def test_a_streamed_tool_call_is_no_turn(door):
    """A stream that calls a tool is no turn either."""
    client = door.wrap()
    door.service.will(Answer("Let me look.", calls="balance"))
    stream = await door.ask(client, stream=True)
    await read(stream)
    assert stream._drift.score == 100
    assert client.drift.turns == ()


@pytest.fixture
def responses(is_async, service, make_client):
    return Door("responses", is_async, service, make_client("responses", is_async=is_async))


@pytest.fixture
def chat(is_async, service, make_client):
    return Door("chat", is_async, service, make_client("chat", is_async=is_async))


async def test_the_previous_response_tells_the_conversation(responses):
    """`previous_response_id` goes on with the conversation of that response."""
    client = responses.wrap()
    first = await responses.ask(client)
    other = await responses.ask(client, "How do I cook pasta?")
    await responses.ask(client, "And a card?", previous_response_id=first.id)
    await responses.ask(client, "And then?", previous_response_id=other.id)
    names = [turn.conversation for turn in client.drift.turns]
    assert names == [names[0], names[1], names[0], names[1]]


async def test_a_question_is_kept_while_a_tool_runs(responses):
    """After a tool call, a request with nothing but the result ends the turn of the question."""
    client = responses.wrap()
    responses.service.will(Answer("", calls="balance"), Answer("It is 12 euros."))
    first = await responses.ask(client, "What is on my savings account?")
    result = {"type": "function_call_output", "call_id": "c1", "output": "12"}
    await responses.ask(client, result, previous_response_id=first.id)
    (turn,) = client.drift.turns
    assert turn.user_message == "What is on my savings account?"


async def test_a_string_as_input_is_what_the_user_said(responses):
    """The input of the Responses API may be a string."""
    client = responses.wrap()
    response = await done(client.responses.create(model="m", input=QUESTION))
    assert client.drift.of(response).user_message == QUESTION


@pytest.mark.parametrize("stream", [False, True])
async def test_each_of_several_answers_has_its_own_score(chat, stream):
    """With `n` the first answer is the turn; the others are scored as if they were taken."""
    client = chat.wrap()
    chat.service.will(Answer("The savings account and credit card.", others=("Violins!", "Loans.")))
    response = await chat.ask(client, n=3, stream=stream)
    if stream:
        await read(response)
    (turn,) = client.drift.turns
    assert turn.assistant_response == "The savings account and credit card."
    if not stream:
        scores = [choice._drift.score for choice in response.choices]
        assert scores[0] == response._drift.score > scores[1]
        assert scores[2] > scores[1]
    told = [user(QUESTION), assistant("Violins!"), user("Why?")]
    last = await chat.ask(client, *told)
    assert client.drift.of(last).conversation == turn.conversation
    assert last._drift.turn_number == 2
    assert client.drift.of(last).is_redo


async def test_a_prefilled_answer_is_said_whole(service, make_client):
    """The beginning of an answer that the request gives is part of what was said."""
    client = make_client("messages", is_async=False)
    door = Door("messages", is_async=False, service=service, client=client)
    client = door.wrap()
    service.will(Answer(" of income."))
    await door.ask(client, user(QUESTION), assistant("Proof"))
    assert client.drift.turns[0].assistant_response == "Proof of income."
    await talk(
        door, client, ("More?", "No."), history=[user(QUESTION), assistant("Proof of income.")]
    )
    assert len(client.drift.conversations) == 1


async def test_memory_is_bounded(door):
    """Turns and conversations beyond the limits are let go, the oldest first, and counted."""
    client = door.wrap(max_turns=3, max_conversations=2)
    for key in "abcd":
        await door.ask(client.with_conversation(key))
    assert [turn.conversation for turn in client.drift.turns] == ["b", "c", "d"]
    assert client.drift.conversations == ("c", "d")
    assert client.drift.dropped.turns == 1
    assert client.drift.dropped.conversations == 2
    assert client.drift_check("a").total_turns == 0


async def test_what_is_kept_does_not_grow_with_the_turns(door):
    """After any number of conversations, the indexes hold only what is kept."""
    client = door.wrap(max_conversations=3)
    for number in range(12):
        await talk(door, client, (f"Question {number}?", "Yes."), (f"And {number}?", "No."))
    held = client._drift_link.drift._recorder.conversations
    assert len(held._heads._found) <= 3
    assert sum(map(len, held._tails._found.values())) <= 3
    assert len(held._responses) <= 12


async def test_threads_and_tasks_do_not_mix_conversations(door):
    """Six conversations at once through one client keep their turns apart."""
    client = door.wrap()

    def messages(key, n):
        said = [m for i in range(n) for m in (user(f"{key} {i}"), assistant(Answer().text))]
        return [*said, user(f"{key} {n}")]

    if door.is_async:

        async def run(key):
            for n in range(3):
                await door.ask(client, *messages(key, n))

        await asyncio.gather(*(run(f"loan {k}") for k in range(6)))
    else:

        def work(key):
            for n in range(3):
                door.resource(client).create(**door.request(*messages(key, n)))

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, [f"loan {k}" for k in range(6)]))
    turns = client.drift.turns
    assert len(turns) == 18
    by_name = {}
    for turn in turns:
        by_name.setdefault(turn.conversation, []).append(turn.user_message)
    assert len(by_name) == 6
    for said in by_name.values():
        key = said[0].rsplit(" ", 1)[0]
        assert said == [f"{key} {n}" for n in range(3)]
    assert not client.drift.errors


async def test_two_requests_from_one_point_are_two_conversations(chat):
    """Of two answers to the same history at once each is scored from that history."""
    client = chat.wrap()
    begun = await talk(chat, client, (QUESTION, "Proof of income."))
    async with opened(await chat.ask(client, *begun, "A?", stream=True)) as one:
        async with opened(await chat.ask(client, *begun, "B?", stream=True)) as two:
            await read(two)
        await read(one)
    assert [turn.drift.turn_number for turn in client.drift.turns] == [1, 2, 2]
    assert len({turn.conversation for turn in client.drift.turns[1:]}) == 2
