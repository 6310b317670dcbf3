import json
import os
import signal
import stat
import threading

import pytest

from langchain_drift import DriftTracker, InvalidInputError, KeywordStrategy, StoreError
from langchain_drift.sessions import memory_text
from langchain_drift.sessions import twin as twin_module
from langchain_drift.sessions.memory_data import begin
from langchain_drift.sessions.memory_store import SessionMemoryStore
from langchain_drift.sessions.twin import twin_of

PROMPT = "Help with cards\nand accounts."


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".session_memory"


def track(path, **given):
    """Return a tracker on the file that judges by words."""
    given.setdefault("strategies", [KeywordStrategy()])
    return DriftTracker(PROMPT, persist=True, persist_path=path, **given)


def on_disk(path):
    return json.loads(path.read_bytes())


def test_the_file_has_the_documented_fields(path):
    """The file is a JSON document with the published fields, for its owner only."""
    tracker = track(path)
    tracker.record_turn("My card?", "Your card. " + "x" * 600)
    tracker.end_session()
    tracker.record_turn("An account?", "Yes.")
    data = on_disk(path)
    assert data["format_version"] == 1
    assert (data["original_context"], data["session_count"], data["context_frozen"]) == (
        PROMPT,
        2,
        False,
    )
    first, second = data["sessions"]
    assert (first["session_number"], first["status"]) == (1, "completed")
    assert first["summary"].startswith("User: My card?")
    assert first["final_drift_score"] == first["exchanges"][0]["score"]
    assert (second["session_number"], second["status"]) == (2, "active")
    assert (second["summary"], second["final_drift_score"]) == (None, None)
    (exchange,) = first["exchanges"]
    assert set(exchange) == {"exchange", "user", "assistant", "score", "verdict", "explanation"}
    assert len(exchange["assistant"]) == 500
    for each in path.parent.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_any_text_comes_back_as_it_was(path):
    """Quotes, newlines, other scripts, our own layout and broken halves of characters are kept."""
    nasty = ['"\n], "summary": null', "\u2028\u0085日本\x00", "half \ud800", "]}\n], {"]
    tracker = track(path)
    for text in nasty:
        tracker.record_turn(text, text)
    kept = SessionMemoryStore(path).load()["sessions"][0]["exchanges"]
    expected = [text.replace("\ud800", "\ufffd") for text in nasty]
    assert [each["user"] for each in kept] == expected
    assert [each["assistant"] for each in kept] == expected
    assert track(path).turn_count == 4


def test_a_restart_resumes_the_session(path):
    """In mid-session a new tracker goes on: turns, score and scorer's state are as before."""
    one = track(path)
    for reply in ["Your card", "pasta", "pizza"]:
        one.record_turn("card?", reply)
    other = track(path)
    assert (other.turn_count, other.state) == (3, one.state)
    assert other.check().drift.score == one.check().drift.score
    assert other.check().explanation == one.check().explanation
    assert other.record_turn("card?", "loan").drift.turn_number == 4


def test_trackers_on_one_file_are_one_conversation(path):
    """What one tracker does the other sees: turns, ends, freezing, clearing, resets."""
    one, other = track(path), track(path)
    one.record_turn("a", "card")
    other.record_turn("b", "card")
    assert (one.turn_count, other.turn_count) == (2, 2)
    one.end_session()
    assert (other.session_number, other.turn_count) == (2, 0)
    assert other.get_managed_context() == one.get_managed_context() != PROMPT
    other.freeze_context()
    assert one.is_frozen
    other.unfreeze_context()
    one.clear_history()
    assert other.get_managed_context() == PROMPT
    one.record_turn("a", "card")
    one.reset()
    assert not path.exists()
    assert (other.session_number, other.turn_count) == (1, 0)


def test_nothing_but_the_exchange_is_read_of_what_others_added(path, monkeypatch):
    """Another process's turns are read alone; the whole file is parsed only at the start."""
    one, other = track(path), track(path)
    for number in range(5):
        one.record_turn(str(number), "card")
    assert other.turn_count == 5
    monkeypatch.setattr(SessionMemoryStore, "_parse", pytest.fail)
    for number in range(5):
        one.record_turn(str(number), "card")
        other.record_turn(str(number), "card")
    assert one.turn_count == other.turn_count == 15


def test_as_much_is_written_at_turn_ten_as_at_turn_two_hundred(path, monkeypatch):
    """A turn writes the end of the file, whatever its length; a benchmark times it."""
    written = []

    def count(file, twin, start, end, content):
        written.append(end - start + len(content))
        return write(file, twin, start, end, content)

    write = twin_module._write
    monkeypatch.setattr(twin_module, "_write", count)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    tracker = track(path)
    for number in range(200, 400):
        tracker.record_turn(f"What of card {number}?", "It is on its way. " * 20)
    assert written[-1] <= written[10] + 40
    assert path.stat().st_size > 50 * written[-1]


@pytest.mark.parametrize(
    "content",
    [
        b'{"original_context": "x", "sessions": [',
        b"[]",
        b"7",
        b"null",
        b'{"sessions": null}',
        b'{"sessions": {}}',
        b'{"sessions": [7]}',
        b'{"sessions": [{"session_number": "1", "status": "active", "exchanges": []}]}',
        b'{"sessions": [], "session_count": -1}',
        b'{"other": 1}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"format_version": 2, "sessions": []}',
        b'{"sessions": [{"session_number": 1, "status": "active", "exchanges": '
        b'[{"exchange": 1, "score": NaN}]}]}',
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_kept(path, content):
    """A damaged, foreign or newer file is an error that names it, and stays as it is."""
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"session_memory.*left as it is"):
        track(path)
    assert path.read_bytes() == content


def test_a_file_damaged_under_a_living_tracker_is_refused_and_kept(path):
    """A tracker that finds its file damaged records nothing and leaves the file."""
    tracker = track(path)
    tracker.record_turn("a", "card")
    path.write_bytes(path.read_bytes()[:-5])
    before = path.read_bytes()
    with pytest.raises(StoreError, match="left as it is"):
        tracker.record_turn("b", "card")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        {"turns": "x"},
        {"turns": -1},
        {"score": float("inf")},
        {"alarmed": None},
        {"departures": 7},
        {"returns": ["x"]},
        {"strategy": {}},
        {"strategy": None},
    ],
)
def test_a_damaged_state_is_found_again_from_the_exchanges(path, damage):
    """Where the exchanges are whole, a state that is not costs nothing: they are scored again."""
    tracker = track(path)
    tracker.record_turn("My card?", "Your card.")
    whole = tracker.state
    data = on_disk(path)
    data["state"] |= damage
    path.write_text(json.dumps(data))
    again = track(path)
    assert again.state == whole
    again.record_turn("An account?", "Yes.")
    assert again.check().total_turns == 2


def test_half_a_character_in_a_file_is_replaced(path):
    """A file of another program may hold what no model takes; it is read all the same."""
    track(path).record_turn("My card?", "Your card.")
    data = on_disk(path)
    data["sessions"].insert(0, {**data["sessions"][0], "session_number": 0})
    data["sessions"][0] |= {"status": "completed", "summary": "half \ud800"}
    path.write_text(json.dumps(data))
    assert "half \ufffd" in track(path).get_managed_context()


def test_an_empty_file_is_a_memory_that_has_not_begun(path):
    """A file of nothing, as `touch` makes, is no damage."""
    path.touch()
    tracker = track(path)
    tracker.record_turn("a", "card")
    assert track(path).turn_count == 1


def test_a_file_formatted_by_hand_is_read(path):
    """Pretty-printed by another program the file is read, and written on as usual."""
    track(path).record_turn("a", "card")
    path.write_text(json.dumps(on_disk(path), indent=4), encoding="utf-8")
    tracker = track(path)
    tracker.record_turn("b", "card")
    tracker.record_turn("c", "card")
    assert [each["user"] for each in on_disk(path)["sessions"][0]["exchanges"]] == ["a", "b", "c"]


def test_a_path_that_cannot_be_written_is_an_error_at_once(tmp_path):
    """A folder as the path is an error before the first turn."""
    with pytest.raises(StoreError, match="persist"):
        track(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_what_is_no_file_is_neither_read_nor_replaced_nor_removed(path):
    """A device such as `/dev/null`, or a pipe, given as the file stays what it is."""
    os.mkfifo(path)
    with pytest.raises(StoreError, match="no regular file"):
        track(path)
    store = SessionMemoryStore(path)
    for act in (store.load, store.delete, lambda: store.save(begin("a"))):
        with pytest.raises(StoreError, match="no regular file"):
            act()
    assert path.is_fifo()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("wrong", [None, 7, b"memory", "a\0b"])
def test_what_is_no_path_is_told(wrong):
    """A path that was not set, for example, is an error that names it."""
    with pytest.raises(InvalidInputError, match="cannot be the path"):
        track(wrong)


def test_an_explanation_that_is_no_text_does_not_spoil_the_file(path):
    """What could not be read again is refused, and nothing is recorded."""
    tracker = track(path, explain_fn=lambda result, purpose: 7)
    with pytest.raises(InvalidInputError, match="explain_fn must return a text, not 7"):
        tracker.record_turn("My card?", "Your card.")
    assert track(path).turn_count == 0


def test_a_link_stays_a_link(path, tmp_path):
    """A symbolic link to the file is followed, not replaced."""
    real = tmp_path / "real"
    path.symlink_to(real)
    tracker = track(path)
    for _ in range(3):
        tracker.record_turn("a", "card")
    assert path.is_symlink()
    assert len(on_disk(real)["sessions"][0]["exchanges"]) == 3


def test_the_mode_of_a_shared_file_stays(path):
    """A file its owner opened to a group stays open to it."""
    tracker = track(path)
    tracker.record_turn("a", "card")
    path.chmod(0o640)
    for _ in range(3):
        tracker.record_turn("a", "card")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("left", ["torn", "ahead", "foreign", "same", "aside", "none"])
def test_whatever_a_dead_writer_left_beside_the_file_is_no_harm(path, left):
    """A twin that is torn, ahead, of another file, or the file itself, is written anew."""
    tracker = track(path)
    for number in range(4):
        tracker.record_turn(str(number), "card")
    twin, whole = twin_of(path), path.read_bytes()
    line = b',\n{"exchange": 5, "user": "lost"'
    if left == "torn":
        twin.write_bytes(whole[: memory_text.find_end(whole)] + line)
    elif left == "ahead":
        end = memory_text.find_end(whole)
        twin.write_bytes(whole[:end] + line + b"}" + whole[end:])
    elif left == "foreign":
        twin.write_bytes(b"x" + whole[1:])
    elif left == "same":
        twin.unlink()
        os.link(path, twin)
    elif left == "aside":
        os.link(path, path.with_name(f"{path.name}.aside"))
    else:
        twin.unlink()
    for number in range(4, 8):
        tracker.record_turn(str(number), "card")
    kept = on_disk(path)["sessions"][0]["exchanges"]
    assert [each["user"] for each in kept] == list(map(str, range(8)))


def test_without_hard_links_the_file_is_written_whole(path, monkeypatch):
    """On a disk where a file has one name only the turns are kept all the same."""

    def refuse(*args, **given):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", refuse)
    tracker = track(path)
    for number in range(3):
        tracker.record_turn(str(number), "card")
    assert track(path).turn_count == 3


def in_child(act):
    """Do something in a forked process, which has ten seconds for it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(10)
            act()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_goes_on_with_the_file(path):
    """A server that forks with a tracker, as with preloading, has one conversation still."""
    tracker = track(path)
    tracker.record_turn("My card?", "Your card.")
    for _ in range(2):
        in_child(lambda: tracker.record_turn("An account?", "Yes."))
    assert (tracker.turn_count, track(path).turn_count) == (3, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_wait_for_its_parent():
    """What a thread of the parent held at the fork holds nobody up in the child."""
    tracker = DriftTracker(PROMPT, strategies=[KeywordStrategy()])
    held, done = threading.Event(), threading.Event()

    def hold():
        with tracker._keeper.locked():
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        in_child(lambda: tracker.record_turn("An account?", "Yes."))
    finally:
        done.set()
        thread.join()


def test_threads_on_one_file_lose_no_turn(path):
    """Threads with a tracker each, and threads that share one, lose and double no turn."""
    shared = track(path)

    def record(tracker):
        for _ in range(10):
            tracker.record_turn("a", "card")

    trackers = [shared, shared, track(path), track(path)]
    threads = [threading.Thread(target=record, args=[one]) for one in trackers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.turn_count == 40
    numbers = [each["exchange"] for each in on_disk(path)["sessions"][0]["exchanges"]]
    assert numbers == list(range(1, 41))


async def test_the_async_methods_persist_alike(path, tmp_path):
    """`arecord_turn`, `acheck` and `aend_session` leave the same file as their sync twins."""
    other = tmp_path / "other"
    one, two = track(path, session_id="s"), track(other, session_id="s")
    for reply in ["card", "pasta"]:
        assert one.record_turn("u", reply) == await two.arecord_turn("u", reply)
    assert one.check() == await two.acheck()
    assert one.end_session() == await two.aend_session()
    first, second = on_disk(path), on_disk(other)
    assert first.pop("revision") != second.pop("revision")
    assert first == second


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "/.session_memory*\n"),
        ("*.pyc", "*.pyc\n/.session_memory*\n"),
        ("not.session_memory\n", "not.session_memory\n/.session_memory*\n"),
    ],
)
def test_the_file_can_be_ignored_by_git(path, before, after):
    """The file is added to `.gitignore` once; a line that merely contains its name is no match."""
    ignored = path.with_name(".gitignore")
    if before:
        ignored.write_text(before)
    store = SessionMemoryStore(path)
    assert store.ensure_gitignore()
    assert not store.ensure_gitignore()
    assert ignored.read_text() == after


def test_the_store_is_usable_by_itself(path):
    """`exists`, `save`, `load` and `delete` do what they say."""
    store = SessionMemoryStore(path)
    assert not store.exists()
    assert store.load() == begin()
    data = begin("A prompt.")
    store.save(data)
    assert (store.exists(), store.load()) == (True, data)
    store.delete()
    assert not store.exists()


def test_a_number_that_json_has_not_is_not_written(path):
    """A score that is no number is an error, not a file that nobody can read."""
    data = begin("x")
    data["state"] = {"score": float("nan")}
    with pytest.raises((ValueError, InvalidInputError)):
        SessionMemoryStore(path).save(data)
    assert not path.exists()
