"""Options that say which threads of a checkpoint database are meant."""

from typing import Annotated

import typer

ThreadOption = Annotated[
    str | None, typer.Option("--thread", help="This thread of a database only.")
]
SinceOption = Annotated[
    str | None,
    typer.Option("--since", help="Threads written to since a date, or in the last 7d, 24h, 90m."),
]
MessagesOption = Annotated[
    str | None,
    typer.Option("--messages", help="The key of the messages in the state; by default messages."),
]
