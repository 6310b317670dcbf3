"""Run every notebook from top to bottom; `--write` keeps the outputs in the files."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"


def main() -> None:
    """Run the notebooks; the first cell that fails ends the run."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        print(f"-- {path.name}")
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        if "--write" in sys.argv:
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
