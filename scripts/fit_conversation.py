"""Learn the weights of the conversation filter from labelled conversations.

Each argument is SOURCE=FILE: a JSONL file of the schema that `langchain-drift evaluate drift`
reads, and the source its conversations belong to. A source weighs as much as the square root of
the number of its files, whatever their size. A source may be named KIND/NAME; what is left out in
turn is a kind.

    python scripts/fit_conversation.py sgd=a.jsonl sgd=b.jsonl written/c=c.jsonl --leave-one-out
    python scripts/fit_conversation.py sgd=a.jsonl sgd=b.jsonl written/c=c.jsonl --write

What is learned: one weight per feature, and the few constants of `Weights`. Beside the
conversations themselves, splices of one to six stray turns from other conversations of the same
source are learned from, since real excursions are short. The features of a turn depend on the
filter's earlier answers, so learning takes turns with running the filter (a few rounds).
Needs torch, which the extra `sentence-transformers` installs.
"""

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from langchain_drift.conversation.background import background
from langchain_drift.conversation.drift_filter import GATE, INHERIT, Weights, probability
from langchain_drift.conversation.evidence import DYNAMIC, STATIC, Evidence, dynamic, gather
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.reading import Reading, TurnVectors
from langchain_drift.conversation.reference import Reference
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.conversation.verdict import ALARM
from langchain_drift.embeddings import CachedEmbeddings, MiniLMEmbeddings
from langchain_drift.embeddings.vectors import embed

TARGET = Path(__file__).parent.parent / "langchain_drift" / "conversation" / "weights.json"
ROUNDS, STEPS, RATE, DECAY = 6, 150, 0.03, 3e-4
SHORTEST_HOST = 4
"""Turns on purpose that a conversation needs to take strays in."""
RETURNS = 0.8
"""Share of splices that come back to their purpose."""
NEUTRAL_WEIGHT = 0.3
"""Neutral turns count this much, with the label of the turn before."""
STARTS_OFF = 0.2
"""Share of splices that begin with the stray turns."""
STARTS_OFF_LOG_ODDS = round(math.log(STARTS_OFF / (1 - STARTS_OFF)), 3)
"""Labelled chats begin on purpose, real ones need not: one in five is assumed not to."""
SPLICED_SHARE = 0.4
"""Splices weigh this much beside the conversations of their source."""


@dataclass
class Conversation:
    """A labelled conversation; labels are 1 for off, 0 for on, None for neutral or adjacent."""

    source: str
    purpose: Purpose
    turns: list[Turn]
    labels: list[int | None]
    weight: float = 1.0
    readings: list[Reading] = field(default_factory=list)
    vectors: list[TurnVectors] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    reference: Reference | None = None


def read(source: str, path: Path) -> list[Conversation]:
    """Read a labelled file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        shots = [FewShotExample(**shot) for shot in row.get("examples") or []]
        turns = [
            Turn.of(turn["user"], turn["assistant"] or turn["user"]).to_prose()
            for turn in row["turns"]
        ]
        labels = [{"on": 0, "off": 1}.get(turn["label"]) for turn in row["turns"]]
        found.append(Conversation(source, Purpose.of(row["purpose"], shots), turns, labels))
    return found


def splice(rows: list[Conversation], count: int, rng: random.Random) -> list[Conversation]:
    """Insert one to six turns of another purpose into conversations that stay on theirs."""
    pool = [row for row in rows if row.labels.count(0) >= SHORTEST_HOST]
    made: list[Conversation] = []
    while len(made) < count and len({row.purpose for row in pool}) > 1:
        host, guest = rng.choice(pool), rng.choice(pool)
        if host.purpose == guest.purpose:
            continue
        base = [turn for turn, label in zip(host.turns, host.labels, strict=True) if label != 1]
        stray = [turn for turn, label in zip(guest.turns, guest.labels, strict=True) if label == 0]
        length = min(rng.choice((1, 1, 2, 3, 4, 5, 6)), len(stray))
        start = rng.randrange(0, min(3, len(stray) - length + 1))
        place = 0 if rng.random() < STARTS_OFF else rng.randrange(1, len(base) + 1)
        tail = base[place:] if rng.random() < RETURNS else []
        turns = base[:place] + stray[start : start + length] + tail
        labels: list[int | None] = [0] * place + [1] * length + [0] * len(tail)
        made.append(Conversation(host.source, host.purpose, turns, labels, SPLICED_SHARE))
    return made


def prepare(rows: list[Conversation], embedder: CachedEmbeddings) -> None:
    """Embed the conversations and gather what does not depend on the weights."""
    cohort = background(embedder)
    references: dict[Purpose, Reference] = {}
    weights = neutral_weights()
    for row in rows:
        purpose = row.purpose
        if purpose not in references:
            vectors = embed(embedder, [*purpose.statements, *purpose.forbidden])
            references[purpose] = Reference(purpose, cohort, vectors)
        row.reference = references[purpose]
        row.readings = [Reading.of(turn) for turn in row.turns]
        embedded = embed(embedder, [text for part in row.readings for text in part.texts])
        start = 0
        for reading in row.readings:
            end = start + len(reading.texts)
            row.vectors.append(reading.vectors(embedded[start:end]))
            start = end
        memory = weights.begin()
        row.evidence = [
            gather(row.reference, memory, reading, vectors)
            for reading, vectors in zip(row.readings, row.vectors, strict=True)
        ]


def neutral_weights() -> Weights:
    """Return the weights that learning starts from."""
    count = len(STATIC) + len(DYNAMIC)
    names = STATIC + DYNAMIC
    against = ("z", "mean_lead", "near_lead", "known", "like_on", "above_average")
    return Weights(
        center=(0.0,) * count,
        scale=(1.0,) * count,
        evidence=tuple(-0.3 if name in against else 0.0 for name in names),
        bias=-1.0,
        gate=(0.0, 1.0, *(0.0 for _ in GATE[1:])),
        inherit=(0.0, 1.0, *(0.0 for _ in INHERIT[1:])),
        start=STARTS_OFF_LOG_ODDS,
        prior=-2.0,
        average=4.0,
        average_weight=2.0,
        injection=2.0,
        breach=0.5,
        score_scale=1.0,
        score_shift=0.0,
    )


def run(row: Conversation, weights: Weights) -> tuple[list[np.ndarray], list[float]]:
    """Run the filter; return the raw features and the filtered log-odds of each turn."""
    memory, features, filtered = weights.begin(), [], []
    assert row.reference is not None  # noqa: S101 - set by `prepare`
    for reading, vectors, static in zip(row.readings, row.vectors, row.evidence, strict=True):
        moving = dynamic(row.reference, memory, vectors.exchange, static.exchange)
        evidence = replace(static, dynamic=moving)
        odds = weights.filtered(memory, evidence, is_injection=reading.is_injection)
        features.append(np.concatenate((evidence.static, moving)))
        filtered.append(odds)
        memory = memory.after(
            vectors.exchange,
            z=static.exchange.z,
            off=probability(odds),
            substance=reading.substance,
            gate=weights.gate_of(weights.features(evidence)),
        )
    return features, filtered


def learn(rows: list[Conversation], shares: dict[str, float]) -> Weights:
    """Learn the weights: run the filter, learn from what it saw, and again.

    Args:
        rows: Prepared conversations.
        shares: How much each source weighs.
    """
    weights = standardised(neutral_weights(), rows)
    for round_ in range(ROUNDS):
        features = [run(row, weights)[0] for row in rows]
        table = padded(rows, features, weights, shares)
        weights = descend(weights, table, RATE if round_ < ROUNDS - 1 else RATE / 3)
    return weights


def standardised(weights: Weights, rows: list[Conversation]) -> Weights:
    """Centre and scale the features by their values on on-purpose turns."""
    features = [
        value
        for row in rows
        for value, label in zip(run(row, weights)[0], row.labels, strict=True)
        if label == 0
    ]
    table = np.array(features)
    average = float(table[:, STATIC.index("z")].mean())
    changes = {
        "center": tuple(np.nanmean(table, axis=0).round(3).tolist()),
        "scale": tuple(np.maximum(np.nanstd(table, axis=0), 0.05).round(3).tolist()),
        "average": round(average, 3),
    }
    return weights.model_copy(update=changes)


LEARNED = ("evidence", "bias", "gate", "inherit", "prior")


def descend(weights: Weights, table: dict[str, torch.Tensor], rate: float) -> Weights:
    """Lower the cross-entropy of the filtered probabilities by gradient descent."""
    values = {name: torch.tensor(getattr(weights, name), requires_grad=True) for name in LEARNED}
    optimizer = torch.optim.Adam(values.values(), lr=rate)
    for _ in range(STEPS):
        optimizer.zero_grad()
        odds = forward(values, table, weights)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            odds, table["label"], reduction="none"
        )
        total = (loss * table["weight"]).sum()
        total = total + DECAY * sum((value**2).sum() for value in values.values())
        total.backward()
        optimizer.step()
    learned: dict[str, Any] = {
        name: tuple(value.detach().tolist()) if value.ndim else float(value.detach())
        for name, value in values.items()
    }
    return weights.model_copy(update=learned)


def padded(
    rows: list[Conversation],
    features: list[list[np.ndarray]],
    weights: Weights,
    shares: dict[str, float],
) -> dict[str, torch.Tensor]:
    """Return the features, labels and weights of all turns as padded tensors."""
    longest = max(len(row.turns) for row in rows)
    shape = (len(rows), longest)
    x = np.zeros((*shape, len(STATIC) + len(DYNAMIC)), np.float32)
    label, weight, extra = (np.zeros(shape, np.float32) for _ in range(3))
    sources = {row.source for row in rows}
    turns = {
        source: sum(row.weight * len(row.turns) for row in rows if row.source == source)
        for source in sources
    }
    total = sum(shares[source] for source in sources)
    for i, (row, found) in enumerate(zip(rows, features, strict=True)):
        previous = 0
        for j, value in enumerate(found):
            x[i, j] = weights.standardise(value)
            known = row.labels[j]
            share = row.weight * shares[row.source] / total / turns[row.source]
            weight[i, j] = share * (1.0 if known is not None else NEUTRAL_WEIGHT)
            previous = label[i, j] = known if known is not None else previous
            extra[i, j] = (
                weights.breach * row.evidence[j].breach
                + weights.injection * row.readings[j].is_injection
            )
    arrays = {"x": x, "label": label, "weight": weight, "extra": extra}
    return {name: torch.tensor(array) for name, array in arrays.items()}


def forward(
    values: dict[str, torch.Tensor], table: dict[str, torch.Tensor], weights: Weights
) -> torch.Tensor:
    """Return the filtered log-odds, as `Weights.filtered` computes them."""
    x = table["x"]
    gate, inherit = values["gate"], values["inherit"]
    counts = torch.sigmoid(gate[0] + x[:, :, places(GATE)] @ gate[1:])
    evidence = (x @ values["evidence"] + values["bias"]) * counts + table["extra"]
    inherited = torch.sigmoid(inherit[0] + x[:, :, places(INHERIT)] @ inherit[1:])
    prior = torch.sigmoid(values["prior"])
    off = torch.full((len(x),), probability(weights.start))
    odds = []
    for turn in range(x.shape[1]):
        if turn:
            off = inherited[:, turn] * off + (1 - inherited[:, turn]) * prior
        off = off.clamp(1e-4, 1 - 1e-4)
        odds.append(torch.log(off) - torch.log1p(-off) + evidence[:, turn])
        off = torch.sigmoid(odds[-1])
    return torch.stack(odds, dim=1)


def places(names: Sequence[str]) -> list[int]:
    """Return where features stand among all of them."""
    return [(STATIC + DYNAMIC).index(name) for name in names]


def auroc(values: Sequence[float], positive: Sequence[bool]) -> float:
    """Return the chance that a positive ranks above a negative."""
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    hits = np.array(positive)
    if not hits.any() or hits.all():
        return float("nan")
    count = int(hits.sum())
    return float((order[hits].sum() - count * (count - 1) / 2) / (count * (len(hits) - count)))


def report(name: str, rows: Iterable[Conversation], weights: Weights) -> None:
    """Print how well the weights rank and alarm on rows."""
    odds, off = [], []
    for row in rows:
        filtered = run(row, weights)[1]
        for value, label in zip(filtered, row.labels, strict=True):
            if label is not None:
                odds.append(value)
                off.append(label == 1)
    alarms = np.array([weights.score(value) < ALARM for value in odds])
    hits = np.array(off)
    caught = alarms[hits].mean() if hits.any() else float("nan")
    wrong = alarms[~hits].mean()
    print(f"{name:24} AUROC {auroc(odds, off):.3f}  caught {caught:.3f}  false {wrong:.3f}")


def calibrated(weights: Weights, rows: list[Conversation], rate: float) -> Weights:
    """Shift the score so that `rate` of the on-purpose turns, mean over sources, raise an alarm."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for value, label in zip(run(row, weights)[1], row.labels, strict=True):
            if label == 0:
                found.setdefault(row.source, []).append(value)

    def alarms(limit: float) -> float:
        return float(np.mean([np.mean(np.array(values) > limit) for values in found.values()]))

    limits = np.linspace(-6, 8, 561)
    limit = next(value for value in limits if alarms(value) <= rate)
    at_alarm = float(np.log(45 / 55))
    return weights.model_copy(update={"score_shift": round(at_alarm - float(limit), 3)})


def main() -> None:
    """Learn, report, and write the weights when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", metavar="SOURCE=FILE")
    parser.add_argument("--check", nargs="*", default=[], metavar="SOURCE=FILE")
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--false-alarms", type=float, default=0.03)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    embedder = CachedEmbeddings(MiniLMEmbeddings(threads=2), max_entries=200_000)
    files = {item: read(*_named(item)) for item in [*args.data, *args.check]}
    rows = [row for item in args.data for row in files[item]]
    rng = random.Random(0)  # noqa: S311 - reproducible splices, no secret
    for source in sorted({row.source for row in rows}):
        mine = [row for row in rows if row.source == source]
        rows += splice(mine, len(mine), rng)
    for part in (rows, *(files[item] for item in args.check)):
        prepare(part, embedder)
    sources = [_named(item)[0] for item in args.data]
    shares = {source: math.sqrt(count) for source, count in Counter(sources).items()}
    if args.leave_one_out:
        for kind in sorted({_kind(source) for source in sources}):
            kept = [row for row in rows if _kind(row.source) != kind]
            weights = calibrated(learn(kept, shares), kept, args.false_alarms)
            for item, source in zip(args.data, sources, strict=True):
                if _kind(source) == kind:
                    report(f"without {kind}: {Path(item).stem}", files[item], weights)
    weights = calibrated(learn(rows, shares), rows, args.false_alarms)
    for item, members in files.items():
        report(Path(item).stem, members, weights)
    print(weights.model_dump_json(indent=1))
    if args.write:
        rounded = json.loads(
            weights.model_dump_json(), parse_float=lambda text: round(float(text), 4)
        )
        TARGET.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def _kind(source: str) -> str:
    return source.partition("/")[0]


def _named(item: str) -> tuple[str, Path]:
    source, _, path = item.partition("=")
    return source, Path(path)


if __name__ == "__main__":
    main()
