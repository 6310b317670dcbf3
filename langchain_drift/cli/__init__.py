"""The command line: `langchain-drift …`."""

import sys


def main() -> None:
    """Run the command line; errors made on purpose end in one sentence and exit code 2."""
    from langchain_drift.cli.program import run  # noqa: PLC0415 - keeps the import of the package light

    sys.exit(run())
