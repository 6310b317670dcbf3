"""Loops inside a run of an agent: told, then stopped, and what gets on is left alone."""

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from langchain_drift.tool_guard.history import find_calls
from langchain_drift.tool_guard.outcome import has_error_status


def loop_agent(agents, guard, kit, replies, answer, **options):
    """Return an agent that calls a tool which answers as told."""
    ran = []

    @tool
    def bash(command: str) -> str:
        """Run a command."""
        ran.append(command)
        return answer(len(ran))

    middleware = agents.MistakeGuardMiddleware(guard, **options)
    return ran, agents.create_agent(
        kit.FakeModel(*replies, "done"), [bash], middleware=[middleware]
    )


def test_a_loop_is_told_and_then_stopped(guard, agents, manner, kit):
    """The third same result carries a nudge; after the sixth the call is not run again."""
    command = "git log branch | grep 449"
    replies = [kit.calls(command, start=n, name="bash", key="command") for n in range(10, 20)]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "")
    config = {"recursion_limit": 100}
    state = manner.invoke(agent, {"messages": [("user", "q")]}, config)
    texts = [text for _, _, text in kit.results(state)]
    nudged = [number for number, text in enumerate(texts, 1) if "come to the same" in text]
    assert nudged == list(range(3, 11))
    assert len(ran) == 6
    assert "was not run: it has come to the same 6 times" in texts[6]
    assert kit.paired(state["messages"])
    assert guard.events() == []


def test_waiting_between_steps_that_get_on_is_no_loop(guard, agents, manner, kit):
    """A tool that only waits may be called as often as what is waited for moves on."""

    @tool
    def wait(seconds: int) -> str:
        """Wait."""
        return "waited"

    states = iter(range(20))

    @tool
    def look(job: int) -> str:
        """Look at a job."""
        return f"{next(states)} of 20"

    replies = []
    for number in range(20):
        replies.append(kit.calls(5, start=2 * number, name="wait", key="seconds"))
        replies.append(kit.calls(7, start=2 * number + 1, name="look", key="job"))
    middleware = agents.MistakeGuardMiddleware(guard)
    agent = agents.create_agent(
        kit.FakeModel(*replies, "done"), [wait, look], middleware=[middleware]
    )
    state = manner.invoke(agent, {"messages": [("user", "q")]}, {"recursion_limit": 200})
    assert len(kit.results(state)) == 40
    assert "[mistake guard]" not in str(kit.results(state))


def test_the_bounds_of_loops_can_be_chosen(guard, agents, manner, kit):
    """`nudge_after` and `stop_after` take effect, and None switches them off."""
    replies = [kit.calls("ls", start=n, name="bash", key="command") for n in range(10, 19)]
    config = {"recursion_limit": 100}
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", stop_after=2)
    manner.invoke(agent, {"messages": [("user", "q")]}, config)
    assert len(ran) == 2
    off = {"nudge_after": None, "stop_after": None}
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", **off)
    state = manner.invoke(agent, {"messages": [("user", "q")]}, config)
    assert len(ran) == 9
    assert "[mistake guard]" not in str(kit.results(state))


def test_a_loop_is_stopped_under_acknowledge_too(guard, agents, manner, kit):
    """Calls that nobody had to be asked about are stopped like any other."""
    replies = [kit.calls("ls", start=n, name="bash", key="command") for n in range(10, 19)]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "", policy="acknowledge")
    manner.invoke(agent, {"messages": [("user", "q")]}, {"recursion_limit": 100})
    assert len(ran) == 6


def test_a_new_question_begins_a_new_run(guard, agents, manner, kit):
    """What was asked for again by a person is no loop."""
    replies = [kit.calls("ls", start=9, name="bash", key="command")]
    ran, agent = loop_agent(agents, guard, kit, replies, lambda n: "a.py")
    history = []
    for number in range(8):
        asked = kit.calls("ls", start=number, name="bash", key="command")
        done = ToolMessage("a.py", tool_call_id=f"call-{number}")
        history += [HumanMessage("list"), asked, done, AIMessage("a.py")]
    state = manner.invoke(agent, {"messages": [*history, HumanMessage("list")]})
    assert ran == ["ls"]
    assert "[mistake guard]" not in str(kit.results(state))


def test_a_long_run_costs_no_more_than_a_short_one(guard, kit):
    """Looking back is bounded: ten thousand messages are read as fast as two hundred."""
    messages = []
    for number in range(5_000):
        messages += [kit.calls("ls", start=number), ToolMessage("x", tool_call_id=f"call-{number}")]
    assert len(find_calls(messages, has_error_status)) <= 100
