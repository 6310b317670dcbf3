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

__all__ = [
    "DriftEvaluation",
    "GroundingEvaluation",
    "LabelledAnswer",
    "LabelledConversation",
    "LabelledTurn",
    "evaluate",
    "evaluate_grounding",
    "fit",
    "read_labelled",
    "read_labelled_answers",
]
