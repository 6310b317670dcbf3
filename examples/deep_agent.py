"""A deep agent with a subagent: its own turns are scored, and nobody repeats a mistake.

Needs deepagents and the extra `langchain`: `pip install deepagents 'langchain-drift[langchain]'`.
"""

from deepagents import create_deep_agent
from fake_model import FakeModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from langchain_drift import DriftGuard, DriftMiddleware, MemoryStore, MistakeGuardMiddleware

PROMPT = "You are a travel agent. Plan trips by train: routes, timetables, tickets, hotels."


@tool
def timetable(route: str) -> str:
    """Look up the trains of a route."""
    print(f"Looked up: {route}")
    return f"{route}: 08:12, 10:12, 12:12"


def call(name: str, **args: str) -> AIMessage:
    """Return what a model says when it calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{name} {args}"}])


guard = DriftGuard(store=MemoryStore())  # DriftGuard() keeps its memory in a file
for _ in range(2):
    guard.record({"name": "timetable", "args": {"route": "Bern-Rome"}}, "no direct train")
guarded = MistakeGuardMiddleware(guard, policy="block")

agent = create_deep_agent(
    FakeModel(
        call("task", subagent_type="clerk", description="Find the trains from Bern to Rome."),
        "Take the train from Bern to Milan at 08:12, and change to Rome there.",
    ),
    # A hosted one by one line: "openai:gpt-5-mini", with langchain-openai installed.
    system_prompt=PROMPT,
    # The drift is that of the conversation with the user; a subagent's task is no turn of it.
    middleware=[DriftMiddleware(PROMPT), guarded],
    subagents=[
        {
            "name": "clerk",
            "description": "Looks up trains.",
            "system_prompt": "Look up trains in the timetable.",
            "model": FakeModel(
                call("timetable", route="Bern-Rome"),
                call("timetable", route="Bern-Milan"),
                "Bern-Milan: 08:12, 10:12, 12:12. Change there to Rome.",
            ),
            "tools": [timetable],
            "middleware": [guarded],
        }
    ],
)
state = agent.invoke({"messages": [("human", "How do I get from Bern to Rome by train?")]})
for message in state["messages"]:
    print(f"{message.type}: {message.text or message.tool_calls[0]['args']['description']}")
print(f"drift {state['drift']['score']:.0f}: {state['drift']['explanation']}")
