import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.graph import START, StateGraph

from langchain_drift import DriftState

PROGRAM = Path(__file__).with_name("sqlite_processes.py")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_three_processes_share_a_checkpoint_file(tmp_path, optional_package):
    """Three processes with a thread each on one SQLite file keep all turns and summaries apart."""
    sqlite = optional_package("langgraph.checkpoint.sqlite")
    path = tmp_path / "checkpoints.sqlite"
    with sqlite.SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    subprocess.run([sys.executable, str(PROGRAM), str(path), "abc", "12"], check=True, timeout=100)
    builder = StateGraph(DriftState)
    builder.add_node("any", lambda state: {})
    builder.add_edge(START, "any")
    with sqlite.SqliteSaver.from_conn_string(str(path)) as saver:
        graph = builder.compile(checkpointer=saver)
        for name in "abc":
            values = graph.get_state({"configurable": {"thread_id": name}}).values
            assert [turn["turn_id"] for turn in values["drift_turns"]] == [
                f"{name}{number}" for number in range(12)
            ]
            assert [turn["number"] for turn in values["drift_turns"]] == [
                *[1, 2, 3, 4, 5] * 2,
                1,
                2,
            ]
            assert [each["session"] for each in values["drift_summaries"]] == [1, 2]
            assert values["drift_session"] == 3
