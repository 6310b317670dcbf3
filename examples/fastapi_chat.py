"""A chat endpoint that streams its answer and says at the end whether the chat is on purpose.

Needs FastAPI: `pip install fastapi`. Serve it with `uvicorn fastapi_chat:app`.
"""

import json
from collections.abc import AsyncIterator

from fake_model import FakeModel
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from langchain_core.messages import AIMessageChunk
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from pydantic import BaseModel

from langchain_drift import DriftState, make_inject_node, make_score_node

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
model = FakeModel(
    "The Acme Rewards card costs 49 euros a year.",
    "Boil it for nine minutes, and salt the water well.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.


async def reply(state: DriftState) -> dict[str, list[object]]:
    """Answer on the managed context."""
    return {"messages": [await model.ainvoke(state["drift_context"])]}


builder = StateGraph(DriftState)
builder.add_sequence(
    [
        ("inject", make_inject_node(PROMPT, remind=True)),
        ("reply", reply),
        ("score", make_score_node(PROMPT)),
    ]
)
builder.add_edge(START, "inject")
graph = builder.compile(checkpointer=InMemorySaver())  # one that is shared, where you serve
app = FastAPI()


class Question(BaseModel):
    """What a user says."""

    text: str


@app.post("/chats/{chat}")
async def ask(chat: str, question: Question) -> StreamingResponse:
    """Answer as server-sent events: words, then the drift of the turn."""
    return StreamingResponse(_events(chat, question.text), media_type="text/event-stream")


async def _events(chat: str, text: str) -> AsyncIterator[str]:
    stream = graph.astream(
        {"messages": [("human", text)]},
        {"configurable": {"thread_id": chat}},
        stream_mode=["messages", "updates"],
    )
    async for kind, update in stream:
        if kind == "messages" and isinstance(update[0], AIMessageChunk):
            yield _event("word", update[0].text)
        elif kind == "updates" and "score" in update:
            turn = update["score"]["drift_turns"][-1]
            yield _event(
                "drift", {name: turn[name] for name in ("score", "verdict", "explanation")}
            )


def _event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


if __name__ == "__main__":
    from fastapi.testclient import TestClient

    client = TestClient(app)
    for asked in ("What does the Acme Rewards card cost?", "How long do I boil spaghetti?"):
        print(client.post("/chats/ann", json={"text": asked}).text)
