"""A banking assistant with all parts: drift score, grounding, mistake guard and sessions.

Runs offline with `python assistant.py`; `langgraph dev` opens the same graph in LangGraph Studio.
"""

from typing import Any, Literal

from bank import TOOLS, BankModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from langchain_drift import (
    DriftGuard,
    DriftState,
    GuardState,
    MemoryStore,
    RetrieverDriftState,
    add_guard,
    make_end_session_node,
    make_inject_node,
    make_retriever_drift_node,
    make_retriever_drift_route,
    make_score_node,
    make_should_end_session,
)

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
model = BankModel()
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.

guard = DriftGuard(store=MemoryStore())  # DriftGuard() keeps its memory in a file
for _ in range(2):
    guard.record(
        {"name": "set_daily_limit", "args": {"euros": 5000}}, "refused: the customer is unverified"
    )


class State(DriftState, GuardState, RetrieverDriftState):
    """Messages, drift, review and grounding: plain JSON, so any checkpointer keeps it."""


def reply(state: State) -> dict[str, Any]:
    """Answer on the managed context: the prompt, summaries of past sessions, the messages."""
    answer = model.bind_tools(TOOLS).invoke(state["drift_context"])
    last = state["messages"][-1]
    if last.type == "ai":  # it was judged, so this one takes its place
        answer.id = last.id
    return {"messages": [answer]}


def after_reply(state: State) -> Literal["tools", "judge", "score"]:
    """Run what the model calls; judge what it says on documents, and score the turn."""
    *before, last = state["messages"]
    if getattr(last, "tool_calls", None):
        return "tools"
    asked = max(n for n, message in enumerate(before) if message.type == "human")
    looked_up = any(message.name == "look_up" for message in before[asked:])
    return "judge" if looked_up else "score"


def caution(state: State) -> dict[str, Any]:
    """Take back what no page supports."""
    return {"messages": [AIMessage("I find nothing sure about this.", id=state["messages"][-1].id)]}


builder = StateGraph(State)
builder.add_node("inject", make_inject_node(PROMPT, max_tokens=4000, remind=True))
builder.add_node("reply", reply)
builder.add_node("tools", ToolNode(TOOLS))
builder.add_node("judge", make_retriever_drift_node())
builder.add_node("caution", caution)
builder.add_node("score", make_score_node(PROMPT))
builder.add_node("end_session", make_end_session_node(max_summaries=3))
builder.add_edge(START, "inject")
builder.add_edge("inject", "reply")
builder.add_conditional_edges("reply", after_reply, ["tools", "judge", "score"])
builder.add_edge("tools", "inject")
builder.add_conditional_edges(
    "judge",
    make_retriever_drift_route(attempts=2),
    {"accept": "score", "regenerate": "inject", "retrieve": "inject", "caution": "caution"},
)
builder.add_edge("caution", "score")
builder.add_conditional_edges(
    "score", make_should_end_session(max_turns=20), {"end_session": "end_session", "continue": END}
)
builder.add_edge("end_session", END)
# Tool calls that failed before are shown to a person, who approves, edits or rejects them.
add_guard(builder, guard, before="tools", policy="acknowledge", blocked="inject")

graph = builder.compile()  # langgraph dev brings its own checkpointer

if __name__ == "__main__":
    chat = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "ann"}}
    for question in [
        "What does the Acme Rewards card cost?",
        "Please raise my daily limit to 5000 euros.",
        "How do I cook pasta?",
    ]:
        state = chat.invoke({"messages": [HumanMessage(question)]}, config)
        if "__interrupt__" in state:
            (call,) = state["__interrupt__"][0].value["calls"]
            print(f"A person is asked: {call['description']}")
            no = {"type": "reject", "message": "Verify the customer first."}
            state = chat.invoke(Command(resume={"decisions": [no]}), config)
        print(f"{question}\n  {state['messages'][-1].text}")
        print(f"  drift: {state['drift_turns'][-1]['explanation']}")
    print(f"The answer about the card was judged {state['retriever_drift']['attempts']} times.")
