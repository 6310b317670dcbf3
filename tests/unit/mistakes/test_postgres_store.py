"""What is special about a memory on a server: it can be away, slow, older, or somebody else's."""

import threading
import time
from datetime import UTC, datetime

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings, StoreError
from langchain_drift.cli import program
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.exchange import import_events

pytest.importorskip("psycopg")

import psycopg

from langchain_drift.mistakes.stores.postgres import PostgresStore
from langchain_drift.mistakes.stores.postgres_server import name_of, read_dsn

NOWHERE = "postgresql+psycopg://agent:hunter2@/memory?host=/nowhere"


@pytest.fixture
def database(make_storage):
    """Return the storage of a database."""
    return make_storage("postgres")


@pytest.fixture
def in_postgres(hash_embeddings):
    """Return a function that makes a guard by the published settings."""
    made = []

    def make(dsn, **settings):
        told = DriftGuardSettings(storage_backend="postgres", postgres_dsn=dsn, **settings)
        made.append(DriftGuard(settings=told, embeddings=hash_embeddings()))
        return made[-1]

    yield make
    for guard in made:
        guard.close()


def test_the_published_settings_lead_to_postgres(database, in_postgres, monkeypatch):
    """`storage_backend` and the form of the DSN are those of driftguard-ai, also as variables."""
    dsn = database.dsn.replace("postgresql://", "postgresql+psycopg://")
    in_postgres(dsn).record("drop the table", "it was needed")
    monkeypatch.setenv("DRIFTGUARD_STORAGE_BACKEND", "postgres")
    monkeypatch.setenv("DRIFTGUARD_POSTGRES_DSN", dsn)
    guard = DriftGuard()
    assert [event.action for event in guard.events()] == ["drop the table"]
    guard.close()


@pytest.mark.parametrize(
    "dsn", ["postgresql+psycopg2://u:p@h:1/d", "postgres://u:p@h:1/d", "host=h port=1 dbname=d"]
)
def test_every_form_of_a_dsn_is_read(dsn):
    """A driver is ignored; a server is named without user and password."""
    assert name_of(read_dsn(dsn)) == "h:1/d"


def test_a_dsn_that_cannot_be_read_is_not_repeated():
    """It may hold a password."""
    with pytest.raises(InvalidInputError, match="looks like postgresql://") as caught:
        PostgresStore("postgresql://agent:hunter2@[")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("dsn", [None, 7, b"postgresql://h/d"])
def test_a_dsn_that_is_no_text_is_told(dsn):
    """A variable that was not set, for example."""
    with pytest.raises(InvalidInputError, match="looks like postgresql://"):
        PostgresStore(dsn)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"timeout": value} for value in (0, float("nan"), float("inf"), None, "5", True)),
        {"connections": 0},
    ],
)
def test_numbers_out_of_range_are_refused(wrong):
    """It is told when the store is made."""
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        PostgresStore(NOWHERE, **wrong)


def test_a_server_that_is_away_is_told_without_the_password(in_postgres):
    """Making a guard does not connect; asking and telling say what is wrong."""
    guard = in_postgres(NOWHERE, postgres_timeout=0.2)
    for act in (lambda: guard.before_step("x"), lambda: guard.record("x")):
        with pytest.raises(StoreError, match=r"Postgres at /nowhere/memory .*reached") as caught:
            act()
        assert "hunter2" not in str(caught.value)
    assert guard.runtime.metrics.snapshot()["counters"]["reviews_failed_total"] == 1


async def test_a_guard_that_fails_open_says_that_it_did_not_look(in_postgres, caplog):
    """In both manners the step passes with a skipped review; what is told is not lost silently."""
    guard = in_postgres(NOWHERE, guard_on_error="fail_open", guard_policy="block")
    reviews = [guard.before_step("drop it"), await guard.abefore_step("drop it")]
    assert [review.skipped for review in reviews] == [True, True]
    assert "passed unreviewed" in caplog.text
    with pytest.raises(StoreError):
        guard.record("drop it")
    with pytest.raises(StoreError):
        await guard.arecord("drop it")


def test_a_statement_that_takes_too_long_is_ended(database):
    """While another writer holds the scope, a record waits for its timeout and says so."""
    store = PostgresStore(database.dsn, timeout=0.3)
    guard = DriftGuard(store=store)
    guard.record("rm -rf /tmp/x", event_id="a")
    with psycopg.connect(database.dsn) as other:
        other.execute("SELECT FROM langchain_drift_scopes FOR UPDATE")
        begin = time.monotonic()
        with pytest.raises(StoreError, match=r"did not answer within 0\.3 seconds"):
            guard.record("rm -rf /tmp/x", event_id="b")
        assert time.monotonic() - begin < 2
        assert guard.review("rm -rf /tmp/x").warnings
    assert guard.record("rm -rf /tmp/x", event_id="b")["status"] == "stored"
    guard.close()


def test_a_later_version_is_left_as_it_is(database):
    """Tables of a later version are not touched."""
    database.open().setup()
    change = "UPDATE langchain_drift_meta SET value = %s WHERE name = 'version'"
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        connection.execute(change, ("99",))
        with pytest.raises(StoreError, match=r"has version 99.*update langchain-drift"):
            database.open().read().__next__()
        for value in ("", "-1", "1.5", "new"):
            connection.execute(change, (value,))
            with pytest.raises(StoreError, match="no langchain-drift writes"):
                database.open().setup()
        connection.execute(change, ("1",))


def test_many_may_begin_at_once(postgres_uri, hash_embeddings):
    """Eight stores that make tables and column of vectors at the same time make them once."""
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA beginning")
    dsn = f"{postgres_uri}&options=-csearch_path%3Dbeginning%2Cpublic"
    guards = [DriftGuard(store=PostgresStore(dsn), embeddings=hash_embeddings()) for _ in range(8)]
    threads = [
        threading.Thread(target=guard.record, args=(f"clear the queue {place}", "no"))
        for place, guard in enumerate(guards)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(guards[0].events()) == 8
    assert guards[1].review("clear the queue 3").warnings
    for guard in guards:
        guard.close()


def test_vectors_move_into_the_database_when_pgvector_comes(database, hash_embeddings):
    """What was recorded without the extension is found by it afterwards."""
    before = DriftGuard(
        store=PostgresStore(database.dsn, use_pgvector=False), embeddings=hash_embeddings()
    )
    before.record("clear the queue", "it was full of orders")
    after = DriftGuard(store=PostgresStore(database.dsn), embeddings=hash_embeddings())
    after.record("fill the queue", "it was full of orders")
    with psycopg.connect(database.dsn) as connection:
        found = connection.execute("SELECT count(embedding) FROM langchain_drift_memories")
        assert found.fetchone() == (2,)
    for guard in (before, after):
        assert guard.review("clear the queue").warnings
        guard.close()


@pytest.fixture
def of_an_agent(postgres_uri):
    """Return a new database without pgvector, and how a user of few rights reaches it."""
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("CREATE DATABASE agents")
        connection.execute("CREATE ROLE agent LOGIN")
    owners = postgres_uri.replace("/postgres?", "/agents?")
    yield owners, owners.replace("postgres:@", "agent:@")
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("DROP DATABASE agents WITH (FORCE)")
        connection.execute("DROP ROLE agent")


def test_a_user_of_few_rights_is_told_what_to_do(of_an_agent, hash_embeddings, caplog):
    """Without rights the error says so; with a schema alone it works, without pgvector."""
    owners, agents = of_an_agent
    guard = DriftGuard(store=PostgresStore(agents), embeddings=hash_embeddings())
    with pytest.raises(StoreError, match=r"permission denied for schema public.*setup\(\)"):
        guard.record("clear the queue", "it was full")
    with psycopg.connect(owners, autocommit=True) as connection:
        connection.execute("GRANT CREATE ON SCHEMA public TO agent")
    guard.record("clear the queue", "it was full")
    assert "may not create the extension" in caplog.text
    assert guard.review("clear the queue").warnings
    guard.close()


def test_an_outage_loses_nothing_that_was_acknowledged(database, postgres_server, in_postgres):
    """The server stops and starts in the middle: what was stored is there, the rest was told."""
    closed = in_postgres(database.dsn, postgres_timeout=0.5, guard_timeout=3.0)
    opened = in_postgres(database.dsn, postgres_timeout=0.5, guard_on_error="fail_open")
    stored, refused, stop = [], [], threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            try:
                closed.record("rm -rf /srv", "it was needed", event_id=f"{number}")
                stored.append(f"{number}")
            except StoreError:
                refused.append(f"{number}")

    closed.record("rm -rf /srv", "it was needed", event_id="first")
    assert opened.review("rm -rf /srv").warnings
    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.3)
    postgres_server.stop()
    try:
        begin = time.monotonic()
        assert opened.before_step("rm -rf /srv").skipped
        with pytest.raises(StoreError, match="Postgres at"):
            closed.before_step("rm -rf /srv")
        assert time.monotonic() - begin < 5
    finally:
        postgres_server.ensure_postgres_running()
    before = len(stored)
    deadline = time.monotonic() + 20
    while len(stored) < before + 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    stop.set()
    writer.join()
    assert len(stored) >= before + 20
    assert refused
    kept = {event.event_id for event in closed.events()}
    assert {"first", *stored} <= kept
    # What was refused may have come to the disk just before; it is not counted twice.
    assert kept <= {"first", *stored, *refused}
    assert closed.record("rm -rf /srv", event_id=stored[0])["status"] == "duplicate"
    assert opened.review("rm -rf /srv").warnings[0].frequency == len(kept)


def test_broken_connections_are_made_anew_at_the_next_call(database):
    """Where all connections broke and the server is up, nobody waits and nothing is refused."""
    guard = DriftGuard(store=PostgresStore(f"{database.dsn}&application_name=broken", timeout=2.0))

    def record(place):
        guard.record("rm -rf /srv", "it was needed", event_id=f"{place}")

    threads = [threading.Thread(target=record, args=(place,)) for place in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with psycopg.connect(database.dsn, autocommit=True) as connection:
        broken = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'broken'"
        ).fetchall()
    assert len(broken) > 1
    begin = time.monotonic()
    assert guard.review("rm -rf /srv").warnings[0].frequency == 12
    assert time.monotonic() - begin < 0.9
    guard.close()


async def test_a_server_that_hangs_holds_nobody_up(database, in_postgres):
    """Where nothing answers and no connection breaks, the guard's own time counts."""
    told = {"guard_timeout": 0.3, "postgres_timeout": 1.0}
    guard = in_postgres(database.dsn, guard_on_error="fail_open", **told)
    guard.record("rm -rf /srv", "it was needed")
    strict = in_postgres(database.dsn, **told)
    strict.review("rm -rf /srv")
    with psycopg.connect(database.dsn) as lock:
        lock.execute("LOCK TABLE langchain_drift_meta")
        begin = time.monotonic()
        assert guard.before_step("rm -rf /srv").skipped
        assert (await guard.abefore_step("rm -rf /srv")).skipped
        with pytest.raises(StoreError, match=r"within 0\.3 seconds.*fail_open"):
            strict.before_step("rm -rf /srv")
        assert time.monotonic() - begin < 2


PUBLISHED = """
CREATE TABLE {prefix}driftguard_meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE {prefix}driftguard_nodes (
    text text PRIMARY KEY, type text NOT NULL, embedding jsonb, frequency integer NOT NULL,
    first_seen text, last_seen text
);
CREATE TABLE {prefix}driftguard_edges (
    src text, dst text, frequency integer NOT NULL, weight double precision NOT NULL,
    created_at text, PRIMARY KEY (src, dst)
);
INSERT INTO {prefix}driftguard_meta
    VALUES ('schema_name', 'driftguard_postgres'), ('schema_version', '1');
INSERT INTO {prefix}driftguard_nodes VALUES
    ('increase salt', 'action', '[0.1]', 2, '2026-01-01T10:00:00+00:00', '2026-01-03T10:00:00'),
    ('too salty', 'feedback', NULL, 2, '2026-01-01T10:00:00+00:00', '2026-01-03T10:00:00+00:00'),
    ('dish ruined', 'outcome', NULL, 2, NULL, NULL);
INSERT INTO {prefix}driftguard_edges VALUES
    ('increase salt', 'too salty', 2, 1.0, NULL), ('too salty', 'dish ruined', 2, 1.0, NULL);
"""


def test_the_tables_of_driftguard_ai_are_read(postgres_uri):
    """Mistakes come from `driftguard_…`, successes from `success_driftguard_…`; ids are stable."""
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA published; SET search_path = published")
        for prefix in ("", "success_"):
            connection.execute(PUBLISHED.format(prefix=prefix))
    dsn = f"{postgres_uri}&options=-csearch_path%3Dpublished".replace("ql://", "ql+psycopg://")
    events = list(import_events(dsn))
    assert [event.kind for event in events] == ["mistake"] * 2 + ["success"] * 2
    chains = {(event.action, event.feedback, event.outcome) for event in events}
    assert chains == {("increase salt", "too salty", "dish ruined")}
    assert events[1].at == datetime(2026, 1, 3, 10, tzinfo=UTC)
    again = list(import_events(dsn, kind="mistake"))
    assert [event.event_id for event in again] == [event.event_id for event in events[:2]]


def test_their_tables_are_imported_by_a_command(postgres_uri, tmp_path, monkeypatch, capsys):
    """`memory import` takes a connection string in place of a file."""
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA imported; SET search_path = imported")
        connection.execute(PUBLISHED.format(prefix=""))
    dsn = f"{postgres_uri}&options=-csearch_path%3Dimported"
    path = str(tmp_path / "memory.jsonl")
    monkeypatch.setattr("sys.argv", ["langchain-drift", "memory", "import", dsn, "--path", path])
    assert program.run() == 0
    assert "2 events read: 2 new" in capsys.readouterr().out


def test_a_database_without_their_tables_says_so(database):
    """A database of others is no memory of driftguard-ai."""
    with pytest.raises(InvalidInputError, match="no tables of driftguard-ai"):
        list(import_events(database.dsn))
