"""Draw the pictures of the README's section on reports, `docs/report.png` and `docs/drift.svg`.

Needs the extra `plot` and a Chromium, Chrome or Edge on this machine.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib as mpl

from langchain_drift import DriftScorer, PurposeStrategy, TurnResult, plot_drift
from langchain_drift.json_lines import file_lines
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.page import conversations_page
from langchain_drift.transcripts import read_transcripts

ROOT = Path(__file__).parent.parent
CHATS = ROOT / "tests" / "data" / "conversations_f.jsonl"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = "1200,1180"
PLOTTED = ("f-01", "f-09", "f-10", "f-12")


def main() -> None:
    """Score the chats, draw them, and take a picture of their report."""
    chats = scored()
    page = conversations_page(chats, title="Conversations of a week")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        photograph(file, ROOT / "docs" / "report.png")
    mpl.rcParams["svg.hashsalt"] = "langchain-drift"
    axes = plot_drift({chat.name: chat.turns for chat in chats if chat.name in PLOTTED})
    axes.figure.savefig(ROOT / "docs" / "drift.svg", metadata={"Date": None})


def scored() -> list[Conversation]:
    """Return the chats of the repository with their scores."""
    strategy, found = PurposeStrategy(), []
    for chat in read_transcripts(file_lines(CHATS), str(CHATS)):
        scorer = DriftScorer(chat.purpose or "", chat.examples, strategy=strategy)
        state, results = scorer.start(), list[TurnResult]()
        for turn in chat.turns:
            state, result = scorer.step(state, turn.user, turn.assistant)
            results.append(result)
        found.append(Conversation(chat.id, tuple(results), chat.purpose))
    return found


def photograph(page: Path, target: Path) -> None:
    """Save what a browser shows of a page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    flags = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE}"]
    look = ["--blink-settings=preferredColorScheme=1", f"--screenshot={target}"]
    subprocess.run([browser, *flags, *look, page.as_uri()], check=True, capture_output=True)  # noqa: S603 - a browser of this machine


if __name__ == "__main__":
    main()
