"""The pure part: which words and which reply of a tree belong together. No run is made here."""

import time
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_drift.callbacks.messages import Words
from langchain_drift.callbacks.pairing import Reading, pair
from langchain_drift.callbacks.tree import Call, Given, Source, Tree

ASK, ANSWER = Words("a loan?"), Words("yes, a loan")


def tree(*calls, given=Given(user=ASK), **noted):  # noqa: B008 - immutable
    return Tree(uuid4(), given, calls=calls, **noted)


def outputs(*messages):
    return {"messages": list(messages)}


def said(exchange):
    return (exchange.user.text, exchange.reply.text)


def test_the_output_says_what_the_reply_is():
    """The last assistant text after the last human message is the reply, not the last call."""
    found = pair(
        tree(Call(ANSWER), Call(Words("a title"))), outputs(HumanMessage("x"), AIMessage(ANSWER[0]))
    )
    assert said(found) == (ASK.text, ANSWER.text)


def test_without_a_readable_output_the_last_call_is_the_reply():
    """Where the root gives out nothing that can be read, the models say it."""
    found = pair(tree(Call(Words("bank")), Call(ANSWER)), object())
    assert said(found) == (ASK.text, ANSWER.text)


def test_what_a_tool_said_inside_is_no_reply():
    """Calls inside tools are passed over."""
    found = pair(tree(Call(ANSWER), Call(Words("inner"), in_tool=True)), None)
    assert found.reply == ANSWER
    assert pair(tree(Call(Words("inner"), in_tool=True)), None) is None


def test_no_text_is_no_turn():
    """A tree in which the assistant says nothing is no turn."""
    tools = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])
    for found in (None, {}, outputs(HumanMessage("x")), outputs(HumanMessage("x"), tools)):
        assert pair(tree(), found) is None


def test_an_old_reply_is_no_new_turn():
    """A tree without words of the user and without a call only repeats what was there."""
    old = outputs(HumanMessage("x"), AIMessage("old"))
    assert pair(tree(given=Given()), old) is None
    assert said(pair(tree(given=Given()), old, pending=ASK)) == (ASK.text, "old")


def test_who_speaks_first_may_be_the_assistant():
    """A greeting that answers nobody is a turn without a user."""
    found = pair(tree(Call(Words("Hello!")), given=Given()), None)
    assert said(found) == ("", "Hello!")


def test_words_come_from_the_input_first():
    """Input before what was pending, that before the state, that before the prompt."""
    call = Call(ANSWER, user=Words("Context … a loan?"))
    state = outputs(HumanMessage("in state"), AIMessage(ANSWER.text))
    assert pair(tree(call), state, pending=Words("pending")).user == ASK
    empty = Given()
    assert pair(tree(call, given=empty), state, pending=Words("pending")).user.text == "pending"
    assert pair(tree(call, given=empty), state).user.text == "in state"
    assert pair(tree(call, given=empty), {"answer": ANSWER.text}).user == call.user


def test_the_system_message_is_that_of_the_reply():
    """Of several models the one that made the reply says what it was told."""
    calls = [
        Call(Words("bank"), system="Classify."),
        Call(ANSWER, system="Sell loans."),
        Call(ANSWER, source=Source.NODE),
        Call(Words("title"), system="Name it."),
    ]
    state = outputs(AIMessage(ANSWER.text))
    assert pair(tree(*calls), state).system == "Sell loans."
    given = Given(user=ASK, system="From the input.")
    assert pair(tree(given=given), state).system == "From the input."


def test_an_edited_message_is_the_turn():
    """The newest human message that has other words than before is what the user said."""
    humans = (Words("one, edited", "h1"), Words("two", "h2"))
    given = Given(user=humans[-1], humans=humans)
    known = {"h1": hash("one"), "h2": hash("two")}
    assert pair(tree(Call(ANSWER), given=given), None, known=known).user == humans[0]
    assert pair(tree(Call(ANSWER), given=given), None, known={}).user == humans[1]


def test_words_get_the_id_the_graph_gave_them():
    """Words without an id are found again in the state by what they say."""
    state = outputs(HumanMessage(ASK.text, id="h1"), AIMessage(ANSWER.text))
    assert pair(tree(), state).user == Words(ASK.text, "h1")
    other = outputs(HumanMessage("other", id="h1"), AIMessage(ANSWER.text))
    assert pair(tree(), other).user == ASK


@pytest.mark.parametrize("only_included", [False, True])
def test_a_reply_of_a_run_left_out_does_not_count(only_included):
    """The last chosen call is the reply then; without one there is no turn."""
    reading = Reading(only_included=only_included)
    calls = [Call(ANSWER), Call(Words("joke"), chosen=False)]
    state = outputs(HumanMessage("x"), AIMessage("joke"))
    assert pair(tree(*calls), state, reading=reading).reply == ANSWER
    assert pair(tree(calls[1]), state, reading=reading) is None


def test_a_reply_of_nobody_known_counts_unless_runs_are_chosen():
    """A text no run was seen to say is the reply, but not where only some runs may speak."""
    state = outputs(HumanMessage("x"), AIMessage("static"))
    assert pair(tree(), state).reply.text == "static"
    assert pair(tree(), state, reading=Reading(only_included=True)) is None


def test_a_closed_graph_has_said_what_its_nodes_wrote():
    """A model's text may be a classification; a node's message and a text cut off are said."""
    model, node = Call(Words("bank")), Call(ANSWER, source=Source.NODE)
    cut = Call(ANSWER, source=Source.CUT)
    assert pair(tree(model, is_graph=True), closed=True) is None
    assert pair(tree(model), closed=True).reply == model.reply
    for call in (node, cut):
        found = pair(tree(call, model, is_graph=True), closed=True)
        assert (found.reply, found.complete) == (ANSWER, False)


def test_a_root_that_ends_while_a_model_speaks_is_not_complete():
    """A chain closed early tells a normal end; its model has not ended."""
    assert not pair(tree(speaking=1), "yes").complete
    assert pair(tree(), "yes").complete


@pytest.mark.parametrize(
    "inputs",
    [
        ASK.text,
        HumanMessage(ASK.text),
        [HumanMessage(ASK.text)],
        [("system", "Sell."), ("user", ASK.text)],
        {"messages": ("user", ASK.text)},
        {"messages": ASK.text},
        {"messages": [{"role": "user", "content": ASK.text}]},
        {"messages": [HumanMessage("old"), AIMessage("x"), HumanMessage(ASK.text)]},
        {"messages": [HumanMessage(ASK.text), AIMessage("x"), ToolMessage("4", tool_call_id="1")]},
        {"question": ASK.text, "chat_history": [HumanMessage("old")]},
        {"input": HumanMessage(ASK.text), "lang": "en"},
        {
            "messages": [
                SystemMessage("Sell."),
                HumanMessage(ASK.text),
                NotImplemented,
                5,
                {"odd": 1},
            ]
        },
    ],
    ids=str,
)
def test_inputs_of_any_shape_are_read(inputs):
    """The newest human words are found in whatever goes into a run."""
    assert Given.of(inputs).user.text == ASK.text


@pytest.mark.parametrize("inputs", [None, {}, [], "", "  ", 5, {"x": "y"}, object(), b"loan"])
def test_inputs_without_words_have_none(inputs):
    """What holds no words of a user holds none, and that is no error."""
    assert Given.of(inputs).user is None


def test_a_message_without_readable_content_says_nothing():
    """A message whose content was set to None costs the turn around it nothing."""
    broken = [HumanMessage("x"), SystemMessage("x"), AIMessage("x"), HumanMessage("x")]
    for message, content in zip(broken, (None, None, None, [None, 5]), strict=True):
        message.content = content
    given = Given.of([*broken, HumanMessage(ASK.text)])
    found = pair(
        tree(given=given), outputs(HumanMessage("x"), AIMessage(ANSWER.text), *broken[1:3])
    )
    assert said(found) == (ASK.text, ANSWER.text)


def test_of_a_long_history_the_beginning_and_the_end_are_read():
    """However long a history is, its first system message and its newest words are found."""
    turn = [{"role": "user", "content": "old"}, {"role": "assistant", "content": "yes"}]
    history = [("system", "Sell."), *turn * 5_000, ("user", ASK.text)]
    begun = time.perf_counter()
    given = Given.of({"messages": history})
    assert time.perf_counter() - begun < 0.5
    assert (given.user.text, given.system) == (ASK.text, "Sell.")


def test_a_summary_is_nobodys_words():
    """A summary that stands as a human message is passed over."""
    summary = HumanMessage("A summary.", additional_kwargs={"lc_source": "summarization"})
    given = Given.of({"messages": [summary, HumanMessage(ASK.text)]})
    assert given.user.text == ASK.text
    assert Given.of({"messages": [summary]}).user is None


@pytest.mark.parametrize(
    ("output", "given", "reply"),
    [
        ("yes", (), "yes"),
        (AIMessage("yes"), (), "yes"),
        ({"answer": "yes", "context": "a page"}, (), "yes"),
        ({"output": AIMessage("yes")}, (), "yes"),
        ({"question": "a loan?", "joke": "yes"}, ("question",), "yes"),
        ({"one": AIMessage("yes"), "two": "no"}, (), "yes\n\nno"),
        ({"one": "yes", "two": 5}, (), None),
        (5, (), None),
        ([], (), None),
        ({"messages": [HumanMessage("x")]}, (), None),
    ],
    ids=str,
)
def test_outputs_of_any_shape_are_read(output, given, reply):
    """The reply is found in whatever comes out of a run."""
    found = pair(tree(given=Given(user=ASK, keys=given)), output)
    assert (found.reply.text if found else None) == reply
