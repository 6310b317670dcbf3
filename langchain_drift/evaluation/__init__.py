"""Labelled data in, published numbers out."""

from langchain_drift.evaluation.drift import DriftEvaluation, evaluate
from langchain_drift.evaluation.fitting import fit
from langchain_drift.evaluation.grounding import (
    GroundingEvaluation,
    LabelledAnswer,
    evaluate_grounding,
    read_labelled_answers,
)
from langchain_drift.evaluation.labelled import LabelledConversation, LabelledTurn, read_labelled
from langchain_drift.evaluation.memory import MemoryEvaluation, evaluate_memory
from langchain_drift.evaluation.steps import LabelledStep, read_labelled_steps

__all__ = [
    "DriftEvaluation",
    "GroundingEvaluation",
    "LabelledAnswer",
    "LabelledConversation",
    "LabelledStep",
    "LabelledTurn",
    "MemoryEvaluation",
    "evaluate",
    "evaluate_grounding",
    "evaluate_memory",
    "fit",
    "read_labelled",
    "read_labelled_answers",
    "read_labelled_steps",
]
