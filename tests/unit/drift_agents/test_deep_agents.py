"""`DriftMiddleware` in agents of deepagents, the real package."""

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from langchain_drift import DriftScorer, make_should_end_session

SORRY = "Sorry, I can only help with banking."


@pytest.fixture
def deep(optional_package, kit):
    """Return a function that makes a deep agent of a scripted model."""
    deepagents = optional_package("deepagents")

    def make(script, *, subagents=(), **options):
        model = kit.Scripted(script=list(script), seen=[])
        watching = kit.DriftMiddleware(DriftScorer(kit.BANK, strategy=kit.strategy), **options)
        agent = deepagents.create_deep_agent(
            model,
            system_prompt=kit.BANK,
            middleware=[watching],
            subagents=list(subagents),
            checkpointer=InMemorySaver(),
        )
        return agent, model

    return make


def delegate(*names):
    """Return a message that gives each sub-agent a task."""
    made = [
        {
            "name": "task",
            "args": {"description": f"Look up pasta {n}.", "subagent_type": name},
            "id": f"task-{n}",
        }
        for n, name in enumerate(names)
    ]
    return AIMessage("", tool_calls=made)


def test_a_deep_agent_is_scored_turn_by_turn(deep, kit, manner):
    """What sub-agents say among themselves is no turn; each turn of the user is, once."""
    agent, _ = deep([delegate("general-purpose"), "Pasta found.", "About loans.", "Pasta."])
    manner.invoke(agent, "A loan?", kit.thread)
    manner.invoke(agent, "Pasta?", kit.thread)
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [(turn["user"], turn["score"]) for turn in turns] == [
        ("A loan?", 100.0),
        ("Pasta?", 0.0),
    ]


def test_a_deep_agent_is_asked_again(deep, kit, manner):
    """Its prompt is not the purpose alone, and stands byte for byte before what is told."""
    agent, model = deep(["Boil it.", SORRY], on_drift="re_ask")
    result = manner.invoke(agent, "Pasta?", kit.thread)
    assert str(result["messages"][-1].text) == SORRY
    first, second = (str(seen[0].text) for seen in model.seen)
    assert kit.BANK in first
    assert second.startswith(first)
    assert "score 0 of 100" in second


def test_sub_agents_with_their_own_middleware_do_not_mix(deep, kit, manner):
    """Two sub-agents at once that are watched themselves leave the parent's turns alone."""
    watched = [
        {
            "name": name,
            "description": "Looks things up.",
            "system_prompt": "Look pasta up.",
            "middleware": [kit.DriftMiddleware("Look pasta up.")],
        }
        for name in ("one", "two")
    ]
    script = [delegate("one", "two"), "Pasta is boiled.", "Pasta is boiled.", "About loans."]
    agent, _ = deep(script, subagents=watched)
    result = manner.invoke(agent, "A loan?", kit.thread)
    answered = [m.tool_call_id for m in result["messages"] if isinstance(m, ToolMessage)]
    assert sorted(answered) == ["task-0", "task-1"]
    turns = agent.get_state(kit.thread).values["drift_turns"]
    assert [turn["user"] for turn in turns] == ["A loan?"]
    assert result["drift"]["user"] == "A loan?"


def test_a_session_of_a_deep_agent_ends(deep, kit, manner):
    """Although deepagents gives messages of users no ids, they go when their session ends."""
    agent, model = deep(
        ["The car loan costs 4 percent.", "About loans."],
        end_session=make_should_end_session(max_turns=1),
    )
    manner.invoke(agent, "What does a car loan cost?", kit.thread)
    result = manner.invoke(agent, "And a home loan?", kit.thread)
    assert [str(one.text) for one in result["messages"]] == ["And a home loan?", "About loans."]
    assert "4 percent" in str(model.seen[-1][0].text)
