"""A planner whose step failed before is sent back, and what comes of the new one is recorded."""

from langgraph.graph import START, StateGraph

from langchain_drift import DriftGuard, GuardState, MemoryStore, add_guard

guard = DriftGuard(store=MemoryStore())
for _ in range(2):
    guard.record("clear out the temp folder", "it wiped the build cache", "builds took an hour")


def planner(state: GuardState) -> GuardState:
    """Propose a step; a model would read `guard_review["prompt"]` when it comes back."""
    if state.get("guard_decision") != "revise":
        return {"candidate_action": "empty the temp directory"}
    (warning, *_) = state["guard_review"]["warnings"]
    print(f"Sent back: {warning['trigger']!r} came to {warning['risk']!r}.")
    return {"candidate_action": "remove what job 7 has left behind"}


def execute(state: GuardState) -> GuardState:
    """Do the step, and say what came of it."""
    print(f"Executed: {state['candidate_action']}")
    return {"guard_outcome": {"failed": False, "outcome": "2 GB are free again"}}


builder = StateGraph(GuardState)
builder.add_node("planner", planner)
builder.add_node("execute", execute)
builder.add_edge(START, "planner")
builder.add_edge("planner", "execute")
# The edge to `execute` now leads through the guard. With policy="acknowledge" and a checkpointer a
# person decides instead; a real graph keeps its memory in a file, with DriftGuard() alone.
add_guard(builder, guard, before="execute", revise="planner", policy="block", min_confidence=0.6)
builder.compile().invoke({})

(event,) = [event for event in guard.events() if event.kind == "success"]
print(f"Recorded: {event.action}: {event.outcome}.")
