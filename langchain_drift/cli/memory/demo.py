"""The demo: how a memory forms, is paraphrased, warns, and is cleared by a success."""

from rich.console import Console
from rich.text import Text

from langchain_drift.cli.memory.telling import show_review
from langchain_drift.cli.table import make_console
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.memory import MemoryStore

_FIRST = "delete the temp directory"
_AGAIN = "clear out /tmp before the run"
_ASKED = "remove everything under the tmp folder"
_OTHER = "keep the temp directory"
_WIDTH = 120


def show_demo() -> None:
    """Tell a guard of a few steps, ask it in between, and print what it says."""
    console = make_console(_WIDTH)
    # At its defaults, whatever the environment says.
    defaults = DriftGuardSettings.model_construct(storage_backend="memory")
    guard = DriftGuard(settings=defaults, store=MemoryStore())
    _say(console, "An agent deletes a directory, and it goes wrong.")
    _fail(console, guard, _FIRST, "build cache was wiped")
    _say(console, "The next agent words it differently. It is warned:")
    _ask(console, guard, _AGAIN)
    _say(console, "It goes ahead, and fails the same way.")
    _fail(console, guard, _AGAIN, "cache directory got removed")
    _say(console, "A third wording: both sightings count. The opposite is no match.")
    _ask(console, guard, _ASKED)
    _ask(console, guard, _OTHER)
    _say(console, "Somebody moves the cache elsewhere. Now it works, twice.")
    for _ in range(2):
        _succeed(console, guard, _FIRST, "freed 3 GB")
    _say(console, "The warning is cleared, and what works is told instead:")
    _ask(console, guard, _ASKED)


def _say(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold"))


def _fail(console: Console, guard: DriftGuard, action: str, feedback: str) -> None:
    console.print(Text(f"> record({action!r}, {feedback!r})"))
    guard.record(action, feedback)


def _succeed(console: Console, guard: DriftGuard, action: str, feedback: str) -> None:
    console.print(Text(f"> record_success({action!r}, {feedback!r})"))
    guard.record_success(action, feedback)


def _ask(console: Console, guard: DriftGuard, action: str) -> None:
    console.print(Text(f"> before_step({action!r})"))
    show_review(guard.review(action))
