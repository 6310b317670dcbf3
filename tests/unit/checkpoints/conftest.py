"""Checkpoint databases made by LangGraph: SQLite files and a real Postgres."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."
CARD = ("What does the credit card cost?", "The credit card costs 49 euros a year.")
PASTA = (
    "How do I cook pasta with tomatoes?",
    "Boil the pasta for ten minutes in salted water, then stir in tomatoes, basil and olive oil.",
)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Return where a database is to be."""
    if request.param == "sqlite":
        return str(tmp_path / "chats.sqlite")
    return request.getfixturevalue("fresh_postgres")


@pytest.fixture
def fresh_postgres(postgres_uri):
    """Return a Postgres database without tables."""
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres_uri


@contextmanager
def saver_on(place):
    """Open a checkpointer to write with."""
    if place.startswith("postgresql"):
        from langgraph.checkpoint.postgres import PostgresSaver as Saver  # noqa: PLC0415 - an extra
    else:
        from langgraph.checkpoint.sqlite import SqliteSaver as Saver  # noqa: PLC0415 - an extra
    with Saver.from_conn_string(place) as saver:
        saver.setup()
        yield saver


def chat(saver, schema=MessagesState):
    """Return a graph that answers what its input says it answers."""
    builder = StateGraph(schema)
    builder.add_node("reply", lambda state: {})
    builder.add_edge(START, "reply")
    builder.add_edge("reply", END)
    return builder.compile(checkpointer=saver)


def write(place, threads, *, prompt=None, schema=MessagesState):
    """Write threads, a name to its turns, turn by turn."""
    with saver_on(place) as saver:
        graph = chat(saver, schema)
        for name, turns in threads.items():
            config = {"configurable": {"thread_id": name}}
            if prompt:
                graph.invoke({"messages": [SystemMessage(prompt)]}, config)
            for user, assistant in turns:
                said = [HumanMessage(user), AIMessage(assistant)]
                graph.invoke({"messages": said}, config)


@pytest.fixture
def kit():
    """Return the texts and helpers."""
    return SimpleNamespace(
        PROMPT=PROMPT, CARD=CARD, PASTA=PASTA, saver_on=saver_on, write=write, chat=chat
    )
