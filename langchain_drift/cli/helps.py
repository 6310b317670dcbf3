"""What the help of every command ends with: lines to copy, and the exit codes."""

_EXIT_CODES = (
    "Exit codes: 0 done, 1 the reader of the output went away, 2 the input or an option cannot "
    "be used, 3 --fail-on found what it looks for, 130 interrupted."
)
_LINES = {
    "": (
        "langchain-drift demo",
        'langchain-drift score chat.json --purpose "You help with bank accounts."',
        'langchain-drift audit chats.sqlite --purpose "You help with bank accounts."',
        'langchain-drift memory review "git push origin main"',
        "langchain-drift evaluate drift labelled.jsonl",
    ),
    "demo": ("langchain-drift demo",),
    "score": (
        'langchain-drift score chat.json --purpose "You help with bank accounts."',
        "langchain-drift score chats.jsonl --format csv > scores.csv",
        "cat chat.json | langchain-drift score - --fail-on severe",
    ),
    "report": (
        'langchain-drift report chats.jsonl --purpose "You help with bank accounts."',
        "langchain-drift report chats.sqlite --since 7d --output week.html",
        "langchain-drift report memory.sqlite3 --output memory.html",
        "cat chat.json | langchain-drift report - --output - > report.html",
    ),
    "rag": (
        "langchain-drift rag answers.jsonl",
        "langchain-drift rag answers.jsonl --format json > report.json",
        "cat answers.jsonl | langchain-drift rag - --fail-on drift",
    ),
    "audit": (
        'langchain-drift audit chats.sqlite --purpose "You help with bank accounts."',
        "langchain-drift audit postgresql://localhost/chats --since 7d --format csv > drift.csv",
        "langchain-drift audit chats.sqlite --thread 42",
    ),
    "status": (
        "langchain-drift status",
        "langchain-drift status --file chats.sqlite --thread 42 --format json",
    ),
    "history": (
        "langchain-drift history --last 5",
        "langchain-drift history --file chats.sqlite --thread 42 --format csv > turns.csv",
    ),
    "reset": (
        "langchain-drift reset",
        "langchain-drift reset --file chats.sqlite --thread 42 --yes",
    ),
    "freeze": ("langchain-drift freeze --file .session_memory",),
    "unfreeze": ("langchain-drift unfreeze --file .session_memory",),
    "mcp": (
        "langchain-drift mcp",
        "langchain-drift mcp --path team.sqlite3 --scope tenant=acme,environment=production",
        "langchain-drift mcp --http --port 8765",
    ),
    "evaluate": (
        "langchain-drift evaluate drift labelled.jsonl",
        "langchain-drift evaluate grounding answers.jsonl --format json",
    ),
    "evaluate drift": (
        "langchain-drift evaluate drift labelled.jsonl --format json",
        "langchain-drift evaluate drift a.jsonl b.jsonl --without-filter --limit 100",
    ),
    "evaluate grounding": (
        "langchain-drift evaluate grounding labelled.jsonl",
        "langchain-drift evaluate grounding a.jsonl b.jsonl --method lexical --format json",
    ),
    "evaluate memory": (
        "langchain-drift evaluate memory steps.jsonl",
        "DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE=0.7 langchain-drift evaluate memory a.jsonl",
    ),
    "memory": (
        "langchain-drift memory demo",
        'langchain-drift memory add "git push origin main" --feedback "protected branch"',
        'langchain-drift memory review "git push origin main" --fail-on warning',
        "langchain-drift memory list --scope production",
    ),
    "memory list": (
        "langchain-drift memory list --limit 10",
        "langchain-drift memory list --hidden --scope production --format json",
    ),
    "memory show": (
        "langchain-drift memory show 3f2a9c",
        'langchain-drift memory show "git push origin main" --format json',
    ),
    "memory stats": ("langchain-drift memory stats --path team.sqlite3",),
    "memory add": (
        'langchain-drift memory add "git push origin main" --feedback "protected branch"',
        'langchain-drift memory add "git push origin fix" --success',
        'echo "make deploy" | langchain-drift memory add - --feedback "no such target"',
    ),
    "memory review": (
        'langchain-drift memory review "git push origin main" --fail-on warning',
        'echo \'sql {"query": "SELECT total"}\' | langchain-drift memory review -',
    ),
    "memory prune": ("langchain-drift memory prune --dry-run",),
    "memory hide": ("langchain-drift memory hide 3f2a9c",),
    "memory unhide": ("langchain-drift memory unhide 3f2a9c",),
    "memory purge": ("langchain-drift memory purge", "langchain-drift memory purge --yes"),
    "memory reembed": ("langchain-drift memory reembed --path team.sqlite3",),
    "memory demo": ("langchain-drift memory demo",),
    "memory export": (
        "langchain-drift memory export > events.jsonl",
        "langchain-drift memory export --scope production --output events.parquet",
    ),
    "memory import": (
        "langchain-drift memory import driftguard_graph.json",
        "langchain-drift memory export | langchain-drift memory import - --path copy.sqlite3",
    ),
    "memory migrate": ("langchain-drift memory migrate old.jsonl team.sqlite3",),
    "memory sync": ("langchain-drift memory sync mine.sqlite3 postgresql://localhost/team",),
}


def ending(command: str = "", note: str = "") -> str:
    """Return how the help of a command ends.

    Args:
        command: Its words, without the program's name.
        note: A paragraph between the lines to copy and the exit codes.
    """
    # The backspace keeps a paragraph's lines as they are.
    lines = "\n".join(["\b\nExample:", *(f"  {line}" for line in _LINES[command])])
    return "\n\n".join(filter(None, (lines, note, _EXIT_CODES)))
