"""From driftguard-ai 0.2.1: the calls stay, and opposite or numbered actions are told apart.

Before:

    from driftguard import DriftGuard, guard_step
    from driftguard.integrations import make_langgraph_review_node

    guard = DriftGuard()
    guard.record("delete user 1", "foreign key violation", "rolled back")
    review = guard.before_step("delete user 1", policy="block")

The memory goes along: `langchain-drift memory import driftguard_graph.json`.
"""

from langchain_drift import DriftGuard, GuardrailTriggered, MemoryStore, guard_step

guard = DriftGuard(store=MemoryStore())  # DriftGuard() keeps its memory in a file, as before
for _ in range(2):
    guard.record("delete user 1", "foreign key violation", "rolled back")

for action in ["delete user 1", "delete user 2", "do not delete user 1"]:
    review = guard.before_step(action)
    warned = [f"{warning.risk} ({warning.confidence:.2f})" for warning in review.warnings]
    print(f"{action}: {', '.join(warned) or 'no warning'}")


@guard_step(guard, policy="block")
def run(action: str) -> str:
    """Do what is asked."""
    return f"done: {action}"


print(run("archive user 1"))
try:
    run("delete user 1")
except GuardrailTriggered as stopped:
    print(f"stopped: {stopped}")

# make_langgraph_review_node(guard) is make_guard_node(guard), or add_guard: see guard_a_graph.py.
