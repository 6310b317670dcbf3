"""Run every notebook and compare what it prints with what it shows; `--write` keeps it instead."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
FRACTION = re.compile(r"-?\d+\.\d{3,}")
"""Numbers whose last digits hang on the processor."""


def main() -> None:
    """Run the notebooks; the first cell that fails ends the run, and so do other outputs."""
    differing = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        print(f"-- {path.name}")
        notebook = nbformat.read(path, as_version=4)
        shown = list(printed(notebook))
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        if "--write" in sys.argv:
            write(notebook, path)
            continue
        for number, (before, after) in enumerate(zip(shown, printed(notebook), strict=True)):
            if before != after:
                print(f"Code cell {number} shows\n{before}\nand prints\n{after}")
                differing.append(path.name)
    if differing:
        sys.exit(f"Other outputs than shown: {', '.join(dict.fromkeys(differing))}. Run --write.")


def printed(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the texts that the code cells of a notebook give, pictures and warnings aside."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found = "\n".join(text for output in cell.outputs for text in texts(output))
            yield FRACTION.sub(lambda number: f"{float(number[0]):.2f}", found)


def texts(output: nbformat.NotebookNode) -> list[str]:
    """Return the text of an output."""
    if output.output_type == "stream":
        return [output.text] if output.name == "stdout" else []
    plain = output.get("data", {}).get("text/plain", "")
    return [plain] if output.output_type == "execute_result" else []


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write a notebook with its outputs."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
