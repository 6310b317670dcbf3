"""Labelled data in, published numbers out."""

from langchain_drift.evaluation.drift import DriftEvaluation, evaluate
from langchain_drift.evaluation.fitting import fit
from langchain_drift.evaluation.labelled import LabelledConversation, LabelledTurn, read_labelled

__all__ = [
    "DriftEvaluation",
    "LabelledConversation",
    "LabelledTurn",
    "evaluate",
    "fit",
    "read_labelled",
]
