"""Draw what `langchain-drift demo` prints as `docs/demo.svg`, the picture of the README."""

import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME

from langchain_drift.cli import demo, table

TARGET = Path(__file__).parent.parent / "docs" / "demo.svg"


def main() -> None:
    """Run the demo on a recording console and save its picture, without web fonts."""
    console = Console(record=True, width=118, force_terminal=True, highlight=False)
    table.make_console = demo.make_console = lambda: console  # type: ignore[assignment]
    demo.show_demo()
    svg = console.export_svg(title="langchain-drift demo", theme=SVG_EXPORT_THEME)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    TARGET.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
