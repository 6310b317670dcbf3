"""What a guard spares an agent that repeats a failing call in other words: 100 made-up tasks.

    python scripts/measure_guard.py [--tasks 100] [--rounds 3] [--seed 0]

Each task has a trap: a column, path, option or rule that its tool refuses. The agent is a real one
of `create_agent` with a scripted chat model. In every round it does all tasks, in new words: a
harmless call, the call with the trap, another harmless call. Told nothing it tries the trap in
three wordings before it finds the way out; where its messages hold a record that this failed
before, it takes the way out at once. Some tasks have a decoy among their harmless calls, which
holds the word of the trap and works.

The arrangements differ only in where the record stands: nowhere; at the call, as a warning or as a
block; in the preamble, the newest twenty or all of them. The reader reads its whole prompt, or only
the last 3,000 characters. How well a real model heeds what it reads is not measured here: this
shows what each place makes known, and what it costs.
"""

import argparse
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException

from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore, MistakeGuardMiddleware
from langchain_drift.tool_guard.answers import MARK

TABLES = ("orders", "carts", "invoices", "shipments", "payments", "visits", "tickets", "leads")
THINGS = ("total", "owner", "region", "status", "weight", "score", "stage", "channel", "margin")
FOLDERS = ("app", "build", "data", "docs", "jobs", "logs", "site", "tmp")
TOOLS = ("git", "tar", "rsync", "docker", "kubectl", "npm", "pip", "curl")
WORDINGS = 3
STEPS = 3
WINDOW = 3000


@dataclass(frozen=True)
class Task:
    """A task: the calls that fail, the way out, and harmless calls.

    Attributes:
        tool: The tool that it needs.
        trap: The word by which the tool refuses, with what it then says.
        wrong: The failing calls of each round, in other words each.
        right: The way out of each round.
        good: Harmless calls of each round.
    """

    tool: str
    trap: tuple[str, str]
    wrong: list[list[dict[str, str]]]
    right: list[dict[str, str]]
    good: list[list[dict[str, str]]]


def make_tasks(count: int, rounds: int, seed: int) -> list[Task]:
    """Return tasks of four kinds by turns."""
    choose = random.Random(seed)  # noqa: S311 - example data
    makers = (make_sql, make_path, make_option, make_rule)
    return [makers[n % len(makers)](n, rounds, choose) for n in range(count)]


def make_sql(number: int, rounds: int, choose: random.Random) -> Task:
    """A column that the table does not have; in a table of its own it exists (the decoy)."""
    table = f"{choose.choice(TABLES)}_{number}"
    bad, fine = f"{choose.choice(THINGS)}_{number}", f"{choose.choice(THINGS)}_of_{number}"
    shapes = (
        "SELECT {c} FROM {t}",
        "SELECT id, {c} FROM {t} WHERE id = {n}",
        "SELECT {c}, count(*) FROM {t} GROUP BY {c}",
        "SELECT max({c}) FROM {t}",
        "SELECT {c} FROM {t} ORDER BY {c} LIMIT {n}",
    )

    def say(column: str, where: str = table) -> dict[str, str]:
        shape = choose.choice(shapes)
        return {"query": shape.format(c=column, t=where, n=choose.randrange(1000))}

    return Task(
        "sql",
        (bad, f"no such column: {bad}"),
        [[say(bad) for _ in range(WORDINGS)] for _ in range(rounds)],
        [say(fine) for _ in range(rounds)],
        [
            [say("id"), say(bad, f"archive_{number}") if decoy(number) else say(fine)]
            for _ in range(rounds)
        ],
    )


def make_path(number: int, rounds: int, choose: random.Random) -> Task:
    """A file that is not where one looks for it."""
    bad = f"/etc/{choose.choice(FOLDERS)}{number}.yml"
    fine = f"/srv/{choose.choice(FOLDERS)}/{number}/{choose.choice(FOLDERS)}{number}.yaml"

    def say(path: str) -> dict[str, str]:
        return {"path": path, "encoding": choose.choice(("utf-8", "latin-1", "ascii"))} | (
            {"max_lines": str(choose.randrange(10, 500))} if choose.randrange(2) else {}
        )

    return Task(
        "read_file",
        (bad, f"FileNotFoundError: [Errno 2] No such file or directory: '{bad}'"),
        [[say(bad) for _ in range(WORDINGS)] for _ in range(rounds)],
        [say(fine) for _ in range(rounds)],
        [[say(f"/srv/notes/{number}.md"), say(f"/srv/{number}/etc.yml")] for _ in range(rounds)],
    )


def make_option(number: int, rounds: int, choose: random.Random) -> Task:
    """An option that a program does not know; another program does (the decoy)."""
    program, other = choose.sample(TOOLS, 2)
    bad, fine = f"--{choose.choice(THINGS)}-{number}", f"--with-{choose.choice(THINGS)}"

    def say(option: str, name: str = program) -> dict[str, str]:
        folder = choose.choice(FOLDERS)
        extra = choose.choice(("", " --quiet", " --dry-run"))
        return {"command": f"{name} sync {option}{extra} /srv/{folder}"}

    return Task(
        "bash",
        (f"{program} sync {bad}", f"{program}: unrecognized option '{bad}'"),
        [[say(bad) for _ in range(WORDINGS)] for _ in range(rounds)],
        [say(fine) for _ in range(rounds)],
        [
            [say("--all", other), say(bad, other) if decoy(number) else say("--all")]
            for _ in range(rounds)
        ],
    )


def make_rule(number: int, rounds: int, choose: random.Random) -> Task:
    """A rule that names nothing in the call."""
    tool = f"refund_{number}"

    def say(**more: str) -> dict[str, str]:
        return {
            "order": str(choose.randrange(10_000)),
            "euros": str(choose.randrange(9, 99)),
        } | more

    return Task(
        tool,
        ("", "refused: supervisor approval is required"),
        [[say() for _ in range(WORDINGS)] for _ in range(rounds)],
        [say(approved_by="lee") for _ in range(rounds)],
        [[say(approved_by="kim"), say(approved_by="sam")] for _ in range(rounds)],
    )


def decoy(number: int) -> bool:
    """Tell whether a task has a decoy."""
    return number % 3 == 0


def refuses(task: Task, args: dict[str, str]) -> bool:
    """Tell whether the tool of a task refuses a call."""
    if not task.trap[0]:
        return "approved_by" not in args
    text = " ".join(args.values())
    return task.trap[0] in text and f"archive_{task.trap[0].rpartition('_')[2]}" not in text


def make_tool(task: Task, log: list[tuple[dict[str, str], bool]]) -> StructuredTool:
    """Return the tool of a task; it notes each call and whether it failed."""

    def run(**args: str) -> str:
        failed = refuses(task, args)
        log.append((args, failed))
        if failed:
            raise ToolException(task.trap[1])
        return "ok"

    keys = {key for step in (*task.right, *task.wrong[0], *task.good[0]) for key in step}
    schema = {"type": "object", "title": task.tool, "properties": {key: {} for key in keys}}
    return StructuredTool(
        name=task.tool, description="A tool.", args_schema=schema, func=run, handle_tool_error=True
    )


class Scripted(BaseChatModel):
    """Does a task step by step and decides by what it reads."""

    task: Any
    round: int
    window: int | None = None
    read: list[int] = field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Scripted":  # noqa: ANN401, ARG002 - LangChain's signature
        """Take tools as a real model does."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:  # noqa: ANN401 - LangChain's signature
        text = "\n".join(str(message.content) for message in messages)
        self.read.append(len(text))
        seen = text if self.window is None else text[-self.window :]
        message = self._next(messages, seen)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _next(self, messages: list[BaseMessage], seen: str) -> AIMessage:
        step, attempt = 0, 0
        for message in messages:
            if isinstance(message, ToolMessage):
                if message.status == "success":
                    step, attempt = step + 1, 0
                else:
                    attempt += 1
                    # A harmless call that is refused is given up.
                    if step != 1:
                        step, attempt = step + 1, 0
        first, last = self.task.good[self.round]
        if step == STEPS:
            return AIMessage("Done.")
        args = (first, self._trapped(attempt, seen), last)[step]
        name = f"{step}-{attempt}"
        return AIMessage("", tool_calls=[{"name": self.task.tool, "args": args, "id": name}])

    def _trapped(self, attempt: int, seen: str) -> dict[str, str]:
        wrong = self.task.wrong[self.round]
        if attempt >= len(wrong) or knows(self.task, seen):
            return self.task.right[self.round]
        return wrong[attempt]


def knows(task: Task, seen: str) -> bool:
    """Tell whether a text holds a record that the trap of a task failed before."""
    records = re.findall(r'^\{"failed".*$', seen, re.MULTILINE)
    said = task.trap[1].replace('"', '\\"')
    return any(task.tool in record and said in record for record in records)


@dataclass
class Tally:
    """What came of one arrangement."""

    failures: int = 0
    repeats: int = 0
    good: int = 0
    disturbed: int = 0
    lost: int = 0
    model_calls: int = 0
    characters: int = 0


def preamble(guard: DriftGuard, most: int | None) -> str:
    """Return the newest facts of a memory, one for each tool and error, as a review shows them."""
    mistakes = [event for event in guard.events() if event.kind == "mistake"]
    facts = {(e.action.partition(" ")[0], e.feedback): e.action for e in mistakes}
    shown = []
    for action in list(facts.values())[::-1][:most]:
        review = guard.review(action)
        first = {"warnings": review.warnings[:1], "reinforcements": review.reinforcements[:1]}
        shown.append(review.model_copy(update=first).to_prompt().splitlines())
    # One block around all of them.
    records = [line for lines in reversed(shown) for line in lines if line.startswith("{")]
    head, foot = (shown[0][:2], shown[0][-1:]) if shown else ([], [])
    return "\n".join([*head, *records, *foot])


def measure(
    tasks: Sequence[Task], rounds: int, *, policy: str | None, most: int | None, window: int | None
) -> Tally:
    """Do all tasks in all rounds with one memory.

    Args:
        tasks: The tasks.
        rounds: How often.
        policy: That of the guard; None for no guard.
        most: How many records stand in the preamble; 0 for none, None for all.
        window: How many characters the model reads.
    """
    settings = DriftGuardSettings(storage_backend="memory", guard_min_confidence=0.6)
    guard = DriftGuard(settings=settings, store=MemoryStore())
    tally, failed_before = Tally(), set()
    for number in range(rounds):
        for place, task in enumerate(tasks):
            system = preamble(guard, most) if most != 0 else ""
            log: list[tuple[dict[str, str], bool]] = []
            model = Scripted(task=task, round=number, window=window, read=[])
            middleware = [MistakeGuardMiddleware(guard, policy=policy)] if policy else []
            agent = create_agent(
                model,
                [make_tool(task, log)],
                system_prompt=f"Do the task.\n{system}",
                middleware=middleware,
            )
            state = agent.invoke({"messages": [("user", f"Task {place}, round {number}")]})
            for _, failed in log:
                tally.failures += failed
                tally.repeats += failed and place in failed_before
                if failed:
                    failed_before.add(place)
            count_good(tally, task, state["messages"])
            tally.model_calls += len(model.read)
            tally.characters += sum(model.read)
    return tally


def count_good(tally: Tally, task: Task, messages: list[BaseMessage]) -> None:
    """Count what the guard did to calls that work."""
    asked = {c["id"]: c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    for message in messages:
        if isinstance(message, ToolMessage) and not refuses(
            task, asked[message.tool_call_id]["args"]
        ):
            tally.good += 1
            tally.disturbed += MARK in str(message.content)
            tally.lost += str(message.content).startswith(MARK)


ARRANGEMENTS: dict[str, dict[str, Any]] = {
    "no guard": {"policy": None, "most": 0},
    "at the call, warn": {"policy": "warn", "most": 0},
    "at the call, block": {"policy": "block", "most": 0},
    "preamble, newest 20": {"policy": "record_only", "most": 20},
    "preamble, all": {"policy": "record_only", "most": None},
}


def rows(tasks: Sequence[Task], rounds: int) -> Iterator[str]:
    """Yield a line for each arrangement and reader."""
    runs = len(tasks) * rounds
    for (name, given), window in itertools.product(ARRANGEMENTS.items(), (None, WINDOW)):
        if window and name == "no guard":
            continue
        tally = measure(tasks, rounds, window=window, **given)
        reader = "all" if window is None else f"last {window}"
        yield (
            f"| {name} | {reader} | {tally.failures / runs:.2f} | {tally.repeats / runs:.2f} "
            f"| {tally.model_calls / runs:.1f} | {tally.characters / runs:,.0f} "
            f"| {tally.disturbed} | {tally.lost} | {tally.good} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a guard spares an agent.")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tasks = make_tasks(given.tasks, given.rounds, given.seed)
    print(
        "| record | read | failures a run | repeats a run | model calls | characters read "
        "| good calls noted | of these not run | good calls |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows(tasks, given.rounds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
