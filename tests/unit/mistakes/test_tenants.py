"""Tenants with hostile names never meet."""

import os
import random

import pytest

from langchain_drift import Scope

# 10,000 take 20 seconds over all stores; fewer by default.
OPERATIONS = int(os.environ.get("DRIFT_TENANT_OPERATIONS", "1000"))
NAMES = [
    "", "a", "aa", "A", "a.b", "a/b", "../a", "a%", "a_", "%", "_", "a'", "';--", '"a"', "~", "~2e",
    "langgraph", "a,user=b", '["a","",""]', "ü", "a ", " a", "a\n", "a\\", "x" * 512, "x" * 511,
    "*", "{a}", "$1", "events", "writers",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres", "langgraph_memory",
                                  "langgraph_sqlite", "langgraph_postgres"])  # fmt: skip
def test_tenants_never_meet(kind, make_storage, make_record):
    """After thousands of random operations each of the tenants has exactly what it told."""
    chance = random.Random(0)  # noqa: S311 - a story, no secret
    store = make_storage(kind).open()
    scopes = [Scope(tenant=name) for name in NAMES]
    scopes += [Scope(user=name) for name in NAMES[1:4]]
    scopes += [Scope(tenant="a", user="b"), Scope(tenant="a", environment="b"), Scope(user="ab")]
    kept = {scope.key: {} for scope in scopes}
    hidden = {scope.key: set() for scope in scopes}
    for number in range(OPERATIONS):
        key = chance.choice(scopes).key
        name = f"{chance.randrange(6)}"
        act = chance.choice(["append", "append", "hide", "show", "purge", "read", "changes"])
        if act == "append":
            record = make_record(name, scope=key, action=f"{number}", key="same", terms=("same",))
            assert store.append([record], "") == [name not in kept[key]]
            kept[key].setdefault(name, record)
        elif act in ("hide", "show"):
            turned = name in kept[key] and (name in hidden[key]) != (act == "hide")
            assert store.hide(key, [name], hidden=act == "hide") == turned
            if turned:
                hidden[key] ^= {name}
        elif act == "purge":
            assert store.purge(key, [name]) == (name in kept[key])
            kept[key].pop(name, None)
            hidden[key].discard(name)
        else:
            found = store.read(key) if act == "read" else store.changes(key).added
            expected = [r for n, r in kept[key].items() if n not in hidden[key]]
            assert list(found) == expected
    for key, records in kept.items():
        assert {r.event_id for r in store.read(key, hidden=True)} == hidden[key]
        assert {r.action for r in store.read(key)} == {
            r.action for n, r in records.items() if n not in hidden[key]
        }
    store.close()
