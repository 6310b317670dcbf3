"""`DriftMiddleware` in agents of `create_agent`."""

import asyncio
import hashlib
import sys
import threading

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from langchain_drift import (
    BudgetError,
    DriftGuard,
    DriftGuardSettings,
    DriftScorer,
    InvalidInputError,
    MissingExtraError,
    PurposeStrategy,
    make_should_end_session,
    read_summaries,
)

SORRY = "Sorry, I can only help with banking."


@tool
def rate(kind: str) -> str:
    """Return the rate of a loan."""
    return f"{kind}: 4 percent"


def calls(*kinds):
    """Return a message that calls a tool for each kind."""
    made = [{"name": "rate", "args": {"kind": kind}, "id": f"call-{kind}"} for kind in kinds]
    return AIMessage("", tool_calls=made)


def texts(state):
    return [str(message.text) for message in state["messages"]]


def system_of(seen):
    return [str(message.text) for message in seen if isinstance(message, SystemMessage)]


def strict_saver():
    """Return a saver that holds nothing but plain data."""
    return InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))


def test_a_finished_turn_is_scored_once(kit, manner):
    """However many model calls a turn takes it is one turn, and its score is in the result."""
    agent, _ = kit.agent([calls("car", "home"), "About 4 percent."], tools=[rate])
    result = manner.invoke(agent, "What does a loan cost?")
    assert kit.strategy.seen == [("What does a loan cost?", "About 4 percent.")]
    assert result["drift"]["score"] == 100.0
    assert set(result) == {"messages", "drift"}


def test_drift_is_kept_in_the_state_as_plain_data(kit, manner):
    """Under a saver that holds plain data alone, the history of turns goes on."""
    agent, _ = kit.agent(["Pasta it is.", "A loan it is."], checkpointer=strict_saver())
    manner.invoke(agent, "Pasta?", kit.thread)
    result = manner.invoke(agent, "A loan?", kit.thread)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [(turn["number"], turn["score"]) for turn in turns] == [(1, 0.0), (2, 100.0)]
    assert turns[1]["returned"]
    assert result["drift"] == {**turns[1], "state": None}


def test_a_structured_answer_is_scored(kit, manner, optional_package):
    """What an agent answers by the call of an output tool is its reply, each turn anew."""
    structured = optional_package("langchain.agents.structured_output")

    def answer(text):
        call = {"name": "Answer", "args": {"text": text}, "id": f"call-{text}"}
        return AIMessage("", tool_calls=[call])

    class Answer(BaseModel):
        """An answer."""

        text: str

    agent = kit.create_agent(
        kit.Scripted(script=[answer("A loan it is."), answer("Pasta it is.")], seen=[]),
        middleware=[kit.DriftMiddleware(DriftScorer(kit.BANK, strategy=kit.strategy))],
        response_format=structured.ToolStrategy(Answer),
        checkpointer=InMemorySaver(),
    )
    assert manner.invoke(agent, "What now?", kit.thread)["drift"]["score"] == 100.0
    result = manner.invoke(agent, "And now?", kit.thread)
    assert result["drift"]["score"] == 0.0
    assert isinstance(result["messages"][-1], ToolMessage)
    assert kit.strategy.seen == [
        ("What now?", '{"text":"A loan it is."}'),
        ("And now?", '{"text":"Pasta it is."}'),
    ]


def test_supplied_history_is_scored_too(kit, manner):
    """Of five earlier turns given at once and a new one, each is scored once (field case mw-02)."""
    agent, _ = kit.agent(["About loans.", "More."], checkpointer=InMemorySaver())
    history = [
        message
        for number in range(5)
        for message in (("human", f"loan {number}"), ("ai", f"reply {number}"))
    ]
    manner.invoke(agent, {"messages": [*history, ("human", "and a car loan?")]}, kit.thread)
    assert len(kit.strategy.seen) == 6
    manner.invoke(agent, "And?", kit.thread)
    assert len(kit.strategy.seen) == 7


def test_to_monitor_leaves_the_model_alone(kit, manner):
    """Monitoring shows the model the prompt byte for byte, and nothing else."""
    prompt = "  A prompt\r\n\twith blanks. "
    agent, model = kit.agent(["Pasta."] * 3, prompt=prompt, checkpointer=InMemorySaver())
    for _ in range(3):
        manner.invoke(agent, "Pasta?", kit.thread)
    assert [system_of(seen) for seen in model.seen] == [[prompt]] * 3


def test_a_reminder_is_shown_while_the_score_is_low_and_is_not_kept(kit, manner):
    """After a turn that drifted each call is reminded; once it is back, none is."""
    agent, model = kit.agent(
        ["Pasta.", calls("car"), "A loan.", "Pasta."],
        tools=[rate],
        on_drift="remind",
        checkpointer=InMemorySaver(),
    )
    for said in ["Pasta?", "A loan?", "Thanks"]:
        state = manner.invoke(agent, said, kit.thread)
    reminded = ["drift score 0 of 100" in system_of(seen)[0] for seen in model.seen]
    assert reminded == [False, True, True, False]
    assert all(system_of(seen)[0].startswith(kit.BANK) for seen in model.seen)
    assert "Reminder" not in "".join(texts(state))


def test_a_reply_that_drifts_is_asked_for_again(kit, manner):
    """The user gets the second reply alone; the first is in the state, to be looked at."""
    agent, model = kit.agent(["Boil it.", SORRY], on_drift="re_ask", checkpointer=strict_saver())
    result = manner.invoke(agent, "Pasta?", kit.thread)
    assert texts(result) == ["Pasta?", SORRY]
    assert "score 0 of 100" in system_of(model.seen[1])[0]
    values = agent.get_state(kit.thread).values
    (rejected,) = values["drift_rejected"]
    assert (rejected["assistant"], rejected["score"], rejected["action"]) == (
        "Boil it.", 0.0, "re_ask"
    )  # fmt: skip
    assert [turn["score"] for turn in values["drift_turns"]] == [100.0]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_re_asks_are_capped(kit, manner, most):
    """A model that always drifts is asked so often again; then its reply is given, and scored."""
    agent, model = kit.agent(
        ["Boil it."] * 9, on_drift="re_ask", max_re_asks=most, checkpointer=InMemorySaver()
    )
    result = manner.invoke(agent, "Pasta?", kit.thread)
    assert len(model.seen) == 1 + most
    assert texts(result) == ["Pasta?", "Boil it."]
    values = agent.get_state(kit.thread).values
    assert [turn["score"] for turn in values["drift_turns"]] == [0.0]
    assert len(values["drift_rejected"]) == most


def test_a_reply_on_the_way_back_is_not_asked_for_again(kit, manner):
    """While the score is low, a reply that raises it is good enough."""
    agent, model = kit.agent(
        ["Boil it.", "Boil it.", "A loan."],
        on_drift="re_ask",
        below=100.0,
        checkpointer=InMemorySaver(),
    )
    manner.invoke(agent, "Pasta?", kit.thread)
    manner.invoke(agent, "And a loan?", kit.thread)
    assert len(model.seen) == 3


def test_to_stop_is_to_decline_in_its_place(kit, manner):
    """In place of a reply that drifts the user reads that it is not for here; costs stay told."""
    said = AIMessage(
        [{"type": "text", "text": "Boil it."}],
        additional_kwargs={"secret": 1},
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    )
    agent, model = kit.agent(
        [said, "About loans."], on_drift="stop", stop_message=SORRY, checkpointer=strict_saver()
    )
    result = manner.invoke(agent, "Pasta?", kit.thread)
    last = result["messages"][-1]
    assert (last.content, last.additional_kwargs) == (SORRY, {})
    assert last.usage_metadata["total_tokens"] == 3
    assert last.response_metadata["drift"]["action"] == "stop"
    assert result["drift"]["score"] == 100.0
    (rejected,) = agent.get_state(kit.thread).values["drift_rejected"]
    assert (rejected["assistant"], rejected["action"]) == ("Boil it.", "stop")
    assert texts(manner.invoke(agent, "A loan?", kit.thread))[-1] == "About loans."
    assert len(model.seen) == 2


@pytest.mark.parametrize("on_drift", ["monitor", "remind", "re_ask", "stop"])
def test_no_tool_call_is_left_without_its_result(kit, manner, on_drift):
    """Calls run whatever is said beside them; only the reply at the end is judged."""
    asking = calls("a", "b")
    asking.content = "While I look: boil the pasta."
    agent, _ = kit.agent([asking, "Boil it.", "Boil it."], tools=[rate], on_drift=on_drift)
    result = manner.invoke(agent, "Pasta?")
    called = {
        call["id"] for message in result["messages"] for call in getattr(message, "tool_calls", [])
    }
    answered = {m.tool_call_id for m in result["messages"] if isinstance(m, ToolMessage)}
    assert called == answered == {"call-a", "call-b"}
    assert isinstance(result["messages"][-1], AIMessage)


def test_a_failing_second_reply_leaves_the_first(kit, manner):
    """If the model fails as it is asked again, the user gets what there is."""
    agent, _ = kit.agent(["Boil it.", ValueError("overloaded")], on_drift="re_ask")
    result = manner.invoke(agent, "Pasta?")
    assert texts(result) == ["Pasta?", "Boil it."]
    assert result["drift"]["score"] == 0.0


def test_a_failing_scorer_costs_no_answer(kit, manner, caplog):
    """What goes wrong in scoring is logged, and the turn is scored the next time."""
    agent, _ = kit.agent(["A loan."] * 2, on_drift="re_ask", checkpointer=InMemorySaver())
    step, kit.strategy.step = kit.strategy.step, None
    assert texts(manner.invoke(agent, "A loan?", kit.thread))[-1] == "A loan."
    assert "Could not score" in caplog.text
    kit.strategy.step = step
    manner.invoke(agent, "And?", kit.thread)
    assert len(agent.get_state(kit.thread).values["drift_turns"]) == 2


def test_a_turn_survives_summarization(kit, manner, optional_package):
    """Where its question was summarised away in mid-turn, a turn is scored with it all the same."""
    middleware = optional_package("langchain.agents.middleware")
    compact = middleware.SummarizationMiddleware(
        kit.Scripted(script=["Of loans."] * 9, seen=[]),
        trigger=("messages", 5),
        keep=("messages", 2),
    )
    agent, model = kit.agent(
        ["Pasta.", calls("a"), calls("b"), "4 percent."],
        tools=[rate],
        others=[compact],
        on_drift="remind",
        checkpointer=InMemorySaver(),
    )
    manner.invoke(agent, "Pasta?", kit.thread)
    result = manner.invoke(agent, "A car loan?", kit.thread)
    assert "A car loan?" not in texts(result)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [(turn["user"], turn["score"]) for turn in turns] == [
        ("Pasta?", 0.0),
        ("A car loan?", 100.0),
    ]
    assert "drift score 0" in system_of(model.seen[-1])[0]


def test_an_interrupted_turn_is_scored_when_it_is_done(kit, manner):
    """A paused turn is not scored; resumed it is, once, with the question it began with."""

    @tool
    def ask(kind: str) -> str:
        """Ask a person."""
        return interrupt(kind)

    asking = AIMessage("", tool_calls=[{"name": "ask", "args": {"kind": "car"}, "id": "1"}])
    agent, _ = kit.agent(
        [asking, "A loan.", SORRY], tools=[ask], on_drift="re_ask", checkpointer=strict_saver()
    )
    paused = manner.invoke(agent, "A loan?", kit.thread)
    assert paused["__interrupt__"]
    assert kit.strategy.seen == []
    manner.invoke(agent, Command(resume="yes"), kit.thread)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [turn["user"] for turn in turns] == ["A loan?"]


def test_a_fork_goes_on_with_its_own_history(kit, manner):
    """From an earlier checkpoint the turns up to there count, and no others."""
    agent, _ = kit.agent(["Pasta.", "A loan.", "A loan."], checkpointer=InMemorySaver())
    manner.invoke(agent, "Pasta?", kit.thread)
    early = agent.get_state(kit.thread).config
    manner.invoke(agent, "A loan?", kit.thread)
    manner.invoke(agent, "Another loan?", early)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [turn["user"] for turn in turns] == ["Pasta?", "Another loan?"]


def test_an_edited_message_is_scored_anew(kit, manner):
    """A question that is changed in the state is scored anew, with those after it."""
    agent, _ = kit.agent(["Sure.", "Sure."], checkpointer=InMemorySaver())
    manner.invoke(agent, {"messages": [HumanMessage("Pasta?", id="h0")]}, kit.thread)
    agent.update_state(kit.thread, {"messages": [HumanMessage("A loan?", id="h0")]})
    manner.invoke(agent, {"messages": [HumanMessage("Pasta?", id="h1")]}, kit.thread)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [turn["score"] for turn in turns] == [100.0, 0.0]


def test_a_session_ends_as_the_next_turn_begins(kit, manner):
    """What was said is summarised and shown to the model; the messages go, the new one stays."""
    store = InMemoryStore()
    agent, model = kit.agent(
        ["The car loan costs 4 percent.", "Of course.", "About loans."],
        end_session=make_should_end_session(max_turns=2),
        namespace=("drift", "u1"),
        store=store,
        checkpointer=strict_saver(),
    )
    for said in ["What does a car loan cost?", "Send it to me.", "And a home loan?"]:
        result = manner.invoke(agent, said, kit.thread)
    assert texts(result) == ["And a home loan?", "About loans."]
    (system,) = system_of(model.seen[-1])
    assert system.startswith(f"{kit.BANK}\n\n--- Previous Session Context ---")
    assert "4 percent" in system
    assert len(model.seen[-1]) == 2
    values = agent.get_state(kit.thread).values
    assert (values["drift_session"], values["drift_end"]["status"]) == (2, "ended")
    assert [turn["session"] for turn in values["drift_turns"]] == [1, 1, 2]
    assert "4 percent" in read_summaries(store, ("drift", "u1"))[0].summary
    manner.invoke(agent, "Hello", {"configurable": {"thread_id": "other"}})
    assert "Another conversation" in system_of(model.seen[-1])[0]


def test_a_failing_summary_changes_nothing(kit, manner):
    """If the summarizer fails, the session goes on, and the state says why."""

    def fail(text):
        message = "no summary today"
        raise RuntimeError(message)

    agent, model = kit.agent(
        ["A loan."] * 2,
        end_session=make_should_end_session(max_turns=1),
        summarizer=fail,
        checkpointer=InMemorySaver(),
    )
    manner.invoke(agent, "A loan?", kit.thread)
    manner.invoke(agent, "Another loan?", kit.thread)
    assert agent.get_state(kit.thread).values["drift_end"]["reason"] == "no summary today"
    assert len(model.seen[-1]) == 4


def test_the_budget_is_kept_and_the_state_untouched(kit, manner):
    """Over the budget the call leaves out older turns, the state does not; the prompt is whole."""
    agent, model = kit.agent(
        ["Fine. " * 30] * 9, max_tokens=200, token_counter=None, checkpointer=InMemorySaver()
    )
    for number in range(9):
        result = manner.invoke(agent, f"A loan of {number}? " * 5, kit.thread)
    assert len(result["messages"]) == 18
    assert len(model.seen[-1]) < 8
    assert system_of(model.seen[-1]) == [kit.BANK]
    agent, _ = kit.agent([], max_tokens=5)
    with pytest.raises(BudgetError):
        manner.invoke(agent, "A loan?")


def test_an_agent_without_a_prompt_gets_the_one_of_the_purpose(kit, manner):
    """Given to the middleware alone the prompt reaches the model, unless one is in the messages."""
    agent, model = kit.agent(["A loan."] * 2, prompt=None)
    manner.invoke(agent, "A loan?")
    manner.invoke(agent, {"messages": [SystemMessage("Mine."), HumanMessage("A loan?")]})
    assert [system_of(seen) for seen in model.seen] == [[kit.BANK], ["Mine."]]


def test_a_reminder_brings_the_purpose_where_the_prompt_is_another(kit, manner):
    """A prompt of blocks stays as it is; purpose and reminder come in a block behind it."""
    prompt = SystemMessage([{"type": "text", "text": "Be kind.", "cache_control": {"type": "x"}}])
    agent, model = kit.agent(
        ["Pasta.", "Pasta."], prompt=prompt, on_drift="remind", checkpointer=InMemorySaver()
    )
    for _ in range(2):
        manner.invoke(agent, "Pasta?", kit.thread)
    first, second = model.seen[1][0].content
    assert first == prompt.content[0]
    assert second["text"].startswith(f"{kit.BANK}\n\nReminder")


class Watched(Embeddings):
    """Remembers on which threads it was called; a text's vector is its digest."""

    def __init__(self):
        self.threads = []

    def embed_documents(self, texts):
        self.threads.append(threading.current_thread())
        return [[byte - 127.5 for byte in hashlib.sha256(one.encode()).digest()] for one in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


async def test_scoring_and_summaries_leave_the_event_loop_free(kit):
    """What may take long, embedding and summarising, runs beside the loop's thread."""
    embedder, where = Watched(), []

    def summarize(text):
        where.append(threading.current_thread())
        return "Of loans."

    watching = kit.DriftMiddleware(
        DriftScorer(kit.BANK, strategy=PurposeStrategy(embedder)),
        on_drift="re_ask",
        end_session=make_should_end_session(max_turns=1),
        summarizer=summarize,
    )
    model = kit.Scripted(script=["Boil the pasta in a pot of salted water."] * 9, seen=[])
    agent = kit.create_agent(model, [], middleware=[watching], checkpointer=InMemorySaver())
    for _ in range(2):
        await agent.ainvoke({"messages": [("human", "How do I cook pasta?")]}, kit.thread)
    assert embedder.threads
    assert where
    assert threading.main_thread() not in {*embedder.threads, *where}


async def test_one_middleware_serves_many_threads_at_once(kit):
    """Twenty threads at once each have their own turns."""
    agent, _ = kit.agent([], checkpointer=InMemorySaver())
    configs = [{"configurable": {"thread_id": str(number)}} for number in range(20)]
    await asyncio.gather(
        *(
            agent.ainvoke({"messages": [("human", f"loan {number}")]}, config)
            for number, config in enumerate(configs)
        )
    )
    for number, config in enumerate(configs):
        turns = agent.get_state(config).values["drift_turns"]
        assert [turn["user"] for turn in turns] == [f"loan {number}"]


def test_two_middlewares_of_different_names_stand_side_by_side(kit):
    """With a name of its own a second one can be added."""
    one, two = kit.DriftMiddleware(kit.BANK), kit.DriftMiddleware(kit.BANK, name="second")
    agent = kit.create_agent(kit.Scripted(script=[], seen=[]), [], middleware=[one, two])
    assert {"DriftMiddleware.after_agent", "second.after_agent"} <= set(agent.get_graph().nodes)


def test_messages_that_were_removed_keep_their_turns(kit, manner):
    """A turn whose messages a client removes was scored and stays."""
    agent, _ = kit.agent(["Sure.", "Sure."], checkpointer=InMemorySaver())
    state = manner.invoke(agent, "A loan?", kit.thread)
    gone = [RemoveMessage(id=message.id) for message in state["messages"]]
    agent.update_state(kit.thread, {"messages": gone})
    manner.invoke(agent, "Pasta?", kit.thread)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [turn["user"] for turn in turns] == ["A loan?", "Pasta?"]


@pytest.mark.parametrize("first", [True, False])
def test_drift_and_the_guard_of_mistakes_watch_one_agent(kit, manner, first, optional_package):
    """In either order one blocks a call that failed before, the other asks again for the reply."""
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend="memory", guard_policy="block"))
    for _ in range(3):
        guard.record('rate {"kind": "car"}', "no such loan: car", "the order was lost")
    door = optional_package("langchain_drift.tool_guard.middleware")
    blocking = door.MistakeGuardMiddleware(guard)
    model = kit.Scripted(script=[calls("car"), "Boil it.", SORRY], seen=[])
    watching = kit.DriftMiddleware(DriftScorer(kit.BANK, strategy=kit.strategy), on_drift="re_ask")
    both = [watching, blocking] if first else [blocking, watching]
    agent = kit.create_agent(model, [rate], middleware=both, checkpointer=strict_saver())
    result = manner.invoke(agent, "Pasta?", kit.thread)
    answers = [message for message in result["messages"] if isinstance(message, ToolMessage)]
    assert [message.status for message in answers] == ["error"]
    assert texts(result)[-1] == SORRY
    assert len(agent.get_state(kit.thread).values["drift_rejected"]) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"on_drift": "shout"}, "monitor, remind, re_ask, stop"),
        ({"below": 101}, "0 to 100"),
        ({"below": True}, "0 to 100"),
        ({"max_re_asks": 0}, "at least 1"),
        ({"max_summaries": 0}, "at least 1"),
        ({"stop_message": " "}, "stop_message"),
        ({"max_tokens": -1}, "at least 1"),
        ({"end_session": 3}, "make_should_end_session"),
        ({"token_counter": 3}, "token counter"),
        ({"summarizer": 3}, "summarizer"),
    ],
)
def test_options_that_cannot_be_used_are_told(kit, options, told):
    """A wrong option is an error in one sentence, when the middleware is made."""
    with pytest.raises(InvalidInputError, match=told):
        kit.DriftMiddleware(kit.BANK, **options)


def test_without_langchain_the_extra_is_named(monkeypatch):
    """Without the extra the door says which one to install."""
    for name in [name for name in sys.modules if name.startswith("langchain_drift.drift_agents")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[langchain\]"):
        __import__("langchain_drift.drift_agents.middleware")


def test_the_default_strategy_works_in_an_agent(kit, manner):
    """With nothing but a prompt, a recipe from a bank's agent is asked for again."""
    recipe = "Boil the pasta for ten minutes in salted water, then stir in tomatoes and basil."
    declining = "I can only help with banking questions. Is there anything about your account?"
    model = kit.Scripted(script=[recipe, declining], seen=[])
    watching = kit.DriftMiddleware(DriftScorer(kit.BANK), on_drift="re_ask")
    agent = kit.create_agent(model, [], system_prompt=kit.BANK, middleware=[watching])
    result = manner.invoke(agent, "How do I cook pasta with tomatoes?")
    assert texts(result)[-1] == declining
    assert result["drift"]["refused"]
