"""docs/mcp_server.md tells the truth: its tools, its client configuration, its Python."""

import json
import re
from pathlib import Path

import typer.main

from langchain_drift.cli.app import app
from langchain_drift.mcp_server.tools import TOOLS

GUIDE = (Path(__file__).parents[3] / "docs/mcp_server.md").read_text(encoding="utf-8")


def test_the_table_has_all_tools_and_what_they_take():
    """Every tool stands in the table with its arguments, and no other does."""
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", GUIDE, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", taken)) for name, taken in rows}
    assert told == {tool.name: set(tool.arguments.model_fields) for tool in TOOLS}


def test_the_configuration_starts_the_server():
    """The example for clients is JSON whose options the command has."""
    (given,) = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    server = json.loads(given)["mcpServers"]["langchain-drift"]
    command, *arguments = server["args"]
    options = [word for word in arguments if word.startswith("--")]
    known = typer.main.get_command(app).commands[command].params
    assert set(options) <= {option for parameter in known for option in parameter.opts}
