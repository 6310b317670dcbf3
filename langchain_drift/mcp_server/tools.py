"""The catalogue of tools: names, what they take and answer, and what they may do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from langchain_drift.mcp_server import answers, arguments
from langchain_drift.mcp_server.desk import Desk


@dataclass(frozen=True, slots=True)
class DeskTool:
    """One tool.

    Attributes:
        name: Its name.
        description: What a model reads about it.
        arguments: What it takes.
        answer: What it gives.
        call: How a desk answers it.
        reads_only: Whether it changes nothing that is kept.
        destroys: Whether it can take something away.
        repeatable: Whether calling it again with the same arguments changes nothing more.
    """

    name: str
    description: str
    arguments: type[arguments.Arguments]
    answer: type[answers.Answer]
    call: Callable[[Desk, Any], answers.Answer]
    reads_only: bool = False
    destroys: bool = False
    repeatable: bool = False


TOOLS: Final = (
    DeskTool(
        "register_mistake",
        "Tell the memory that a step failed: what was done, what came back, what it led to.",
        arguments.Observation,
        answers.Kept,
        Desk.register_mistake,
    ),
    DeskTool(
        "register_success",
        "Tell the memory that a step worked; it lowers warnings about the same step.",
        arguments.Observation,
        answers.Kept,
        Desk.register_success,
    ),
    DeskTool(
        "query_memory",
        "Ask whether a step, or one like it, failed or worked before.",
        arguments.Context,
        answers.Reviewed,
        Desk.query_memory,
        reads_only=True,
        repeatable=True,
    ),
    DeskTool(
        "review_action",
        "Ask before a step whether to take it: `decision` is pass, block or acknowledge.",
        arguments.Step,
        answers.Reviewed,
        Desk.review_action,
        reads_only=True,
        repeatable=True,
    ),
    DeskTool(
        "deep_prune",
        "Hide memories that are rare or were not seen for long. An administrator can bring them "
        "back; nothing is deleted.",
        arguments.Pruning,
        answers.Pruned,
        Desk.deep_prune,
        destroys=True,
        repeatable=True,
    ),
    DeskTool(
        "graph_stats",
        "Count events, memories, nodes and edges.",
        arguments.NoArguments,
        answers.Stats,
        Desk.graph_stats,
        reads_only=True,
        repeatable=True,
    ),
    DeskTool(
        "guard_metrics",
        "Tell what this server has done since it started: reviews, warnings, blocks, records.",
        arguments.NoArguments,
        answers.Metrics,
        Desk.guard_metrics,
        reads_only=True,
        repeatable=True,
    ),
    DeskTool(
        "score_turn",
        "Score how well a conversation still serves its system prompt after a turn, 0 to 100.",
        arguments.SpokenTurn,
        answers.ScoredTurn,
        Desk.score_turn,
        reads_only=True,
    ),
    DeskTool(
        "check_grounding",
        "Judge whether an answer stands on the texts that were retrieved for it.",
        arguments.GroundedAnswer,
        answers.Grounded,
        Desk.check_grounding,
        reads_only=True,
        repeatable=True,
    ),
)
"""All tools; the six of driftguard-ai keep its names."""
