"""A conversation as a table of turns with a sparkline."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import clean
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.verdict import DriftVerdict

_BARS = "▁▂▃▄▅▆▇█"
COLOURS = {
    DriftVerdict.FRESH: "green",
    DriftVerdict.MILD: "green",
    DriftVerdict.MODERATE: "yellow",
    DriftVerdict.SEVERE: "red",
    DriftVerdict.CRITICAL: "bold red",
}
_NARROW = 100
_LONGEST = 48


def sparkline(scores: Sequence[float]) -> str:
    """Return scores between 0 and 100 as a line of bars."""
    return "".join(_BARS[min(int(score / 100 * len(_BARS)), len(_BARS) - 1)] for score in scores)


def show_turns(console: Console, title: str, results: Sequence[TurnResult]) -> None:
    """Print a conversation: a table of its turns, a sparkline, where it left and came back."""
    table = Table(title=Text(clean(title)), title_justify="left", pad_edge=False)
    table.add_column("turn", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("user", max_width=_LONGEST, ratio=2)
    table.add_column("why", ratio=3)
    for number, result in enumerate(results, start=1):
        table.add_row(*_cells(number, result))
    console.print(table)
    scores = [result.drift.score for result in results if result.drift]
    console.print(Text(f"{sparkline(scores)}  {_summary(results)}"))


def _cells(number: int, result: TurnResult) -> list[Text]:
    mark = "▼" if result.departed else "▲" if result.returned else ""
    drift = result.drift
    if drift is None:
        return [Text(str(number)), Text("–"), Text(""), Text(_short(result.user_message)), Text("")]  # noqa: RUF001
    verdict = Text(f"{drift.verdict.value} {mark}".strip(), style=COLOURS[drift.verdict])
    return [
        Text(str(number)),
        Text(f"{drift.score:.0f}"),
        verdict,
        Text(_short(result.user_message)),
        Text(clean(result.explanation or "")),
    ]


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _summary(results: Sequence[TurnResult]) -> str:
    left = [str(number) for number, result in enumerate(results, start=1) if result.departed]
    back = [str(number) for number, result in enumerate(results, start=1) if result.returned]
    if not left:
        return "stayed on purpose"
    returned = f"came back at turn {', '.join(back)} ▲" if back else "did not come back"
    return f"left its purpose at turn {', '.join(left)} ▼, {returned}"


def make_console(width: int | None = None) -> Console:
    """Return a console on standard output, wide enough for a table where there is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=width or _NARROW)
    return console
