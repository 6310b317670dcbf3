"""Options and arguments that several memory commands take."""

from pathlib import Path
from typing import Annotated

import typer

from langchain_drift.cli.choices import ReportFormat

PathOption = Annotated[
    Path | None,
    typer.Option("--path", "--file", help="The file of the memory, SQLite or JSON lines."),
]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        help="Whose memory: an environment, or tenant=…,user=…,environment=…",
    ),
]
FormatOption = Annotated[ReportFormat, typer.Option("--format", help="How to write the result.")]
ActionArgument = Annotated[
    str, typer.Argument(help="Words, code, or a tool call as name {json}; - for standard input.")
]
NamesArgument = Annotated[
    list[str], typer.Argument(help="Ids of memories or events, at least four characters of each.")
]
SourceArgument = Annotated[
    str, typer.Argument(metavar="FROM", help="A file, SQLite or JSON lines, or postgresql://…")
]
TargetArgument = Annotated[
    str, typer.Argument(metavar="TO", help="Another one; a file that is not there is begun.")
]
MovedScopeOption = Annotated[
    str | None, typer.Option("--scope", help="Only this scope; by default all.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")]
