"""Writing the figures of a grounding evaluation."""

from itertools import islice
from pathlib import Path

from langchain_drift.cli.figures import named, share, write_json, write_table
from langchain_drift.cli.standard_input import piped
from langchain_drift.evaluation import (
    GroundingEvaluation,
    evaluate_grounding,
    read_labelled_answers,
)
from langchain_drift.retrieval.detector import RetrieverDriftDetector


def show_grounding(
    files: list[Path], detector: RetrieverDriftDetector, output: str, limit: int | None
) -> None:
    """Measure grounding on labelled files and write the figures."""

    def measure(file: Path) -> GroundingEvaluation:
        with piped(file) as source:
            answers = islice(read_labelled_answers(source), limit)
            return evaluate_grounding(answers, detector=detector)

    found = {name: measure(file) for name, file in named(files).items()}
    if output == "json":
        write_json(found)
    else:
        write_table({name: _row(figures) for name, figures in found.items()})


def _row(found: GroundingEvaluation) -> dict[str, str]:
    return {
        "answers": str(found.rows),
        "drift": str(found.drift_rows),
        "AUROC (95 % interval)": share(found.auroc, found.auroc_interval),
        "caught": share(found.decision.tpr),
        "false": share(found.decision.fpr),
        "balanced": share(found.decision.balanced_accuracy),
        "best": share(found.best_balanced_accuracy),
        "at": share(found.best_threshold),
        "not scored": str(sum(found.not_scored.values())),
        "ms a row": f"{found.ms_per_row:.1f}",
    }
