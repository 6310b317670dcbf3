"""Writing the figures of a drift evaluation."""

from collections.abc import Iterable
from pathlib import Path

from langchain_drift.cli.figures import named, share, write_json, write_table
from langchain_drift.cli.standard_input import piped
from langchain_drift.evaluation import (
    DriftEvaluation,
    LabelledConversation,
    evaluate,
    read_labelled,
)
from langchain_drift.evaluation.labelled import sample


def show_evaluation(
    files: list[Path], output: str, *, without_filter: bool, limit: int | None
) -> None:
    """Measure conversation drift on labelled files and write the figures."""

    def measure(file: Path) -> DriftEvaluation:
        with piped(file) as source:
            return evaluate(_conversations(source, limit), without_filter=without_filter)

    found = {name: measure(file) for name, file in named(files).items()}
    if output == "json":
        write_json(found)
    else:
        write_table({name: _row(figures) for name, figures in found.items()})


def _conversations(file: Path, limit: int | None) -> Iterable[LabelledConversation]:
    conversations = read_labelled(file)
    return conversations if limit is None else sample(conversations, limit)


def _row(found: DriftEvaluation) -> dict[str, str]:
    return {
        "chats": str(found.dialogues),
        "on": str(found.on),
        "off": str(found.off),
        "AUROC (95 % interval)": share(found.auroc, found.auroc_interval),
        "caught": share(found.alarm_without_ack.tpr),
        "false": share(found.alarm_without_ack.fpr),
        "noticed, clean": share(found.departures.clean_within[1]),
        "false chats": share(found.false_alarms.rate),
        "back in 2": share(found.recovery.off_after_two),
        "ms a turn": f"{found.ms_per_turn:.1f}",
    }
