"""Writing the figures of a memory evaluation."""

from itertools import islice
from pathlib import Path

from langchain_drift.cli.figures import named, share, write_json, write_table
from langchain_drift.cli.standard_input import piped
from langchain_drift.evaluation import MemoryEvaluation, evaluate_memory, read_labelled_steps
from langchain_drift.evaluation.metrics import Decision
from langchain_drift.mistakes.settings import load_settings

_CAPTION = "blocked, same text, word overlap: share of repeats caught / of good steps"


def show_memory_figures(files: list[Path], output: str, limit: int | None) -> None:
    """Replay labelled steps and write the figures."""
    settings = load_settings()

    def measure(file: Path) -> MemoryEvaluation:
        with piped(file) as source:
            return evaluate_memory(islice(read_labelled_steps(source), limit), settings=settings)

    found = {name: measure(file) for name, file in named(files).items()}
    if output == "json":
        write_json(found)
    else:
        write_table({name: _row(figures) for name, figures in found.items()}, _CAPTION)


def _row(found: MemoryEvaluation) -> dict[str, str]:
    warnings = found.warnings
    return {
        "steps": str(found.steps),
        "repeats": str(warnings.n_pos),
        "caught (95 % interval)": share(warnings.tpr, found.caught_interval),
        "good": str(warnings.n_neg),
        "false (95 % interval)": share(warnings.fpr, found.false_interval),
        "precision": share(warnings.precision),
        "blocked": _pair(found.blocks),
        "same text": _pair(found.same_text),
        "word overlap": _pair(found.word_overlap),
        "ms": share(found.ms_per_review),
    }


def _pair(decision: Decision) -> str:
    return f"{share(decision.tpr)} / {share(decision.fpr)}"
