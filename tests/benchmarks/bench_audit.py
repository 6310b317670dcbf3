"""The audit of a checkpoint database beside the embedder alone on the same texts.

By default a database of 50 threads of 20 turns; `AUDIT_THREADS=1000` measures a large one.
"""

import json
import os
import random
import time
import tracemalloc
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph

from langchain_drift import MiniLMEmbeddings
from langchain_drift.checkpoints.audit import audit
from langchain_drift.checkpoints.database import CheckpointDatabase, open_checkpoints
from langchain_drift.conversation.background import background
from langchain_drift.conversation.reading import Reading
from langchain_drift.conversation.turn import Turn

THREADS, TURNS = int(os.environ.get("AUDIT_THREADS", "50")), 20
PURPOSE = "You are a banking assistant. Help with savings accounts, credit cards and loans."
DATA = Path(__file__).parents[1] / "data"
PARTS = 10


def said():
    """Return real turns of all kinds."""
    paths = [DATA / f"conversations_{name}.jsonl" for name in "abcdef"]
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [(turn["user"], turn["assistant"]) for row in rows for turn in row["turns"]]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Return a database that LangGraph wrote turn by turn; no text is in it twice."""
    builder = StateGraph(MessagesState)
    builder.add_node("reply", lambda state: {})
    builder.add_edge(START, "reply")
    builder.add_edge("reply", END)
    path, turns = tmp_path_factory.mktemp("audit") / "chats.sqlite", said()
    chance = random.Random(1)  # noqa: S311 - texts are drawn
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = builder.compile(checkpointer=saver)
        for thread in range(THREADS):
            config = {"configurable": {"thread_id": f"thread-{thread}"}}
            for turn in range(TURNS):
                user, assistant = chance.choice(turns)
                mark = f" ({thread}.{turn})"
                messages = [HumanMessage(user + mark), AIMessage(assistant + mark)]
                graph.invoke({"messages": messages}, config, durability="exit")
    with open_checkpoints(str(path)) as opened:
        yield opened


def texts_of(database):
    """Return what is embedded of each thread."""
    for place in database.threads():
        turns = [Turn.of(*turn).to_prose() for turn in database.read(place).turns()]
        yield [text for turn in turns for text in Reading.of(turn).texts]


def test_an_audit_is_nearly_as_quick_as_embedding_its_texts(database, capsys):
    """The embedder gets all texts of a tenth of the threads at once, as it likes it best."""
    embeddings = MiniLMEmbeddings()
    background(embeddings)
    threads = list(texts_of(database))
    alone = wall = 0.0
    for part in range(PARTS):
        texts = [text for thread in threads[part::PARTS] for text in thread]
        before, clock = time.process_time(), time.perf_counter()
        embeddings.embed_array(texts)
        alone += time.process_time() - before
        wall += time.perf_counter() - clock
    before, clock = time.process_time(), time.perf_counter()
    found = audit(database, PURPOSE, embeddings=embeddings)
    cpu, taken = time.process_time() - before, time.perf_counter() - clock
    with capsys.disabled():
        print(  # noqa: T201 - the result
            f"\naudit of {THREADS} threads of {TURNS} turns: {taken:.0f} s, "
            f"{THREADS * TURNS / taken:.0f} turns a second; embedder alone {wall:.0f} s; "
            f"throughput {alone / cpu:.2f} of the embedder's (of CPU time)"
        )
    assert len(found.threads) == THREADS
    assert alone / cpu >= 0.8


class Digests(Embeddings):
    """Gives vectors at once."""

    fingerprint = "digests-384"

    def embed_array(self, texts):
        """Return a vector for each text."""
        seeds = [int.from_bytes(text.encode()[-4:]) for text in texts]
        return np.stack([np.random.default_rng(seed).standard_normal(384) for seed in seeds])

    def embed_documents(self, texts):
        """Return a vector for each text."""
        return self.embed_array(texts).tolist()

    def embed_query(self, text):
        """Return a vector."""
        return self.embed_documents([text])[0]


class First(CheckpointDatabase):
    """A database of which only the first threads are seen."""

    def threads(self):
        """Yield a tenth of the threads."""
        return islice(super().threads(), THREADS // 10)


def peak(database):
    """Return the most bytes that Python held during an audit."""
    tracemalloc.start()
    audit(database, PURPOSE, embeddings=Digests())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1_000_000


def test_the_memory_of_an_audit_is_bounded(database, capsys):
    """However many threads there are, some hundred turns are held, and a line for each thread."""
    peak(First(database.saver, database.query))
    few, many = peak(First(database.saver, database.query)), peak(database)
    with capsys.disabled():
        print(  # noqa: T201 - the result
            f"\nan audit of {THREADS // 10} threads holds {few:.0f} MB at most, "
            f"of {THREADS} threads {many:.0f} MB"
        )
    assert many < 60
