import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import DriftGuard, DriftGuardSettings, Event, GuardrailTriggered
from langchain_drift.mistakes.matching import match

TMP = ("delete the temp directory", "build cache was wiped", "next build took 40 minutes")
PARAPHRASE = "clear out /tmp before the run"


def warnings(guard, action, **options):
    """Return the warnings of a review."""
    return guard.review(action, **options).warnings


def test_the_warning_says_what_happened(guard):
    """A warning shows the original wording of action, feedback and outcome."""
    guard.record(*TMP)
    (warning,) = warnings(guard, "Delete the temp directory.")
    assert (warning.trigger, warning.risk, warning.outcome) == TMP
    assert warning.evidence == "same"
    assert warning.similarity == 1
    assert warning.frequency == 1
    assert warning.confidence == pytest.approx(2 / 3)


def test_both_wordings_are_counted_and_shown(guard):
    """Paraphrases recorded apart are one warning with both wordings."""
    guard.record(*TMP)
    guard.record(PARAPHRASE, "cache directory got removed", TMP[2])
    (warning,) = warnings(guard, "remove everything under the tmp folder")
    assert warning.evidence == "paraphrase"
    assert warning.frequency == 2
    assert set(warning.wordings) == {TMP[0], PARAPHRASE}
    assert set(warning.risks) == {TMP[1], "cache directory got removed"}


def test_repeating_makes_surer_and_success_clears(guard):
    """Each mistake raises the confidence; a later success clears the warning."""
    seen = []
    for _ in range(3):
        guard.record(*TMP)
        seen.append(warnings(guard, TMP[0])[0].confidence)
    assert seen == sorted(seen)
    assert [round(c, 2) for c in seen] == [0.67, 0.78, 0.83]
    guard.record_success(TMP[0], "done")
    assert not warnings(guard, TMP[0])
    assert not warnings(guard, PARAPHRASE)


def test_what_fails_again_is_warned_about_again(guard):
    """A success long ago does not hide that it fails now."""
    for _ in range(3):
        guard.record_success(TMP[0])
    for _ in range(4):
        guard.record(*TMP)
    assert warnings(guard, TMP[0])


def test_a_missing_name_is_warned_about_wherever_it_is_used(guard):
    """Feedback that a table is missing warns of every query on it, until one works."""
    guard.record("SELECT name FROM usrs", "Table 'shop.usrs' doesn't exist")
    (warning,) = warnings(guard, "SELECT COUNT(*) AS n FROM usrs WHERE age > 7 GROUP BY city")
    assert warning.evidence == "culprit"
    assert warning.culprits == ("usrs",)
    assert not warnings(guard, "SELECT name FROM users")
    assert not warnings(guard, "SELECT name FROM tables WHERE name = 'usrs'")
    guard.record_success("SELECT city FROM usrs", "[]")
    assert not warnings(guard, "SELECT COUNT(*) AS n FROM usrs WHERE age > 7 GROUP BY city")


def test_a_name_that_works_elsewhere_is_judged_by_what_is_around_it(guard):
    """A column that one table lacks and another has is warned about only beside the first."""
    guard.record("SELECT name, city FROM stadium WHERE year = 2014", "Unknown column 'year'")
    guard.record("SELECT name FROM stadium WHERE year > 2014", "Unknown column 'year'")
    guard.record_success("SELECT COUNT(*) FROM concert JOIN tour ON id WHERE year = 2014", "[]")
    guard.record_success("SELECT theme, venue FROM concert WHERE year = 2014", "[]")
    assert warnings(guard, "SELECT name, size FROM stadium WHERE year = 2015")
    assert not warnings(guard, "SELECT theme, id FROM concert WHERE year = 2014")


def test_a_nearly_same_command_is_warned_about_but_never_blocks(guard):
    """A command that differs in a detail is warned about, as a hint."""
    for _ in range(9):
        guard.record("tar -czf out.tgz --mtime 60 /srv/data/a /srv/data/b", "it did not work")
    (warning,) = warnings(guard, "tar -czf out.tgz --mtime 60 /srv/data/b /srv/data/a/")
    assert warning.evidence == "similar"
    assert not warning.can_block
    guard.before_step(
        "tar -czf out.tgz --mtime 60 /srv/data/b /srv/data/a/", policy="block", min_confidence=0
    )


def test_a_mistake_that_names_its_cause_accuses_no_other_action(guard):
    """A failure is explained by what it blames; the corrected command is not warned about."""
    guard.record("SELECT id, nam, city, age FROM users", "Unknown column 'nam' in 'field list'")
    assert not warnings(guard, "SELECT id, name, city, age FROM users")


def test_a_tool_whose_calls_all_got_one_answer(guard):
    """Two different calls with the same unspecific answer speak against the tool, as a hint."""
    guard.record("Finish[Paris]", "Answer is INCORRECT")
    guard.record("Finish[Rome]", "Answer is INCORRECT")
    (warning,) = warnings(guard, "Finish[Oslo]")
    assert warning.evidence == "tool"
    assert warning.frequency == 2
    assert not warning.can_block
    guard.record_success("Finish[Bern]", "Answer is CORRECT")
    assert not warnings(guard, "Finish[Oslo]")


def test_an_answer_about_an_argument_is_not_about_the_tool(guard):
    """A call that failed for its own argument says nothing of other arguments."""
    guard.record({"name": "refund", "args": {"order": 7}}, "order 7 was already refunded")
    assert not warnings(guard, {"name": "refund", "args": {"order": 8}})


def test_opposites_never_block_one_another(guard):
    """However often one failed, its opposite is free."""
    for _ in range(9):
        guard.record("delete user 1", "wrong user deleted")
        guard.record("enable TLS", "clients were cut off")
    for action in ("delete user 2", "do not delete user 1", "disable TLS"):
        assert not warnings(guard, action)


def test_prose_and_code_are_not_compared(guard):
    """A mistake in words says nothing of a command that contains the words."""
    guard.record("shutdown the host", "everything was lost")
    assert not warnings(guard, "git commit -m 'document host shutdown steps'")


def test_a_far_paraphrase_is_never_very_sure(guard):
    """However often a mistake happened, a warning is no surer than the likeness allows."""
    for _ in range(50):
        guard.record(*TMP)
    (warning,) = warnings(guard, PARAPHRASE)
    assert warning.confidence <= 0.1 + 0.9 * warning.similarity + 1e-9
    assert warnings(guard, TMP[0])[0].confidence > 0.95


def test_age_lowers_a_warning(make_guard, clock):
    """An old mistake weighs less, as far as the setting allows."""
    guard = make_guard(retrieval_recency_weight=0.5)
    guard.record(*TMP)
    fresh = warnings(guard, TMP[0])[0].confidence
    clock.pass_days(60)
    old = warnings(guard, TMP[0])[0].confidence
    assert old == pytest.approx((0.625 + 1 / 3) / 1.625)
    assert old < fresh


def test_what_worked_is_recommended(guard):
    """A success like the action is a reinforcement, with its own wording."""
    guard.record_success("delete the files in /tmp older than a week", "3 files deleted", "fine")
    (found,) = guard.review("delete files in /tmp that are older than a week").reinforcements
    assert found.recommendation == "3 files deleted"
    assert found.outcome == "fine"
    assert found.frequency == 1
    assert not guard.review("never delete files in /tmp that are older than a week").reinforcements


def test_successes_and_mistakes_do_not_mix_their_feedback(guard):
    """The chain of a warning is an event that happened, never one put together."""
    guard.record("restart the cache server", "clients were cut off", "orders were lost")
    guard.record("restart the mail server", "clients were cut off", "mail was late")
    for action, outcome in (
        ("restart the cache server", "orders were lost"),
        ("restart the mail server", "mail was late"),
    ):
        review = guard.review(action)
        assert review.warnings[0].outcome == outcome
        assert (action, "clients were cut off", outcome) in review.chains


actions = st.sampled_from(["a b", "SELECT a FROM b", "run[x]", "run[y]", "rm -rf a", "delete it"])
events = st.lists(st.tuples(st.sampled_from(["mistake", "success"]), actions), max_size=12)
SETTINGS = DriftGuardSettings(storage_backend="memory")


@given(events, actions)
def test_a_guard_answers_as_the_pure_function_does(told, action):
    """A guard on a store says what `match` says of the same events."""
    guard = DriftGuard(settings=SETTINGS, clock=lambda: 1e9)
    for kind, what in told:
        guard.runtime.register(kind, what, "it failed", "")
    made = [
        Event(kind=kind, action=what, feedback="it failed", at="2001-09-09T01:46:40Z")
        for kind, what in told
    ]
    ours = guard.review(action)
    pure = match(action, made, settings=SETTINGS, now=1e9)
    assert [w.model_dump(exclude={"event_ids"}) for w in ours.warnings] == [
        w.model_dump(exclude={"event_ids"}) for w in pure.warnings
    ]
    assert ours.reinforcements == pure.reinforcements
    assert ours.chains == pure.chains


@given(events, actions)
def test_only_what_failed_is_warned_about(told, action):
    """Without a mistake there is no warning, and frequencies count the mistakes."""
    made = [Event(kind=kind, action=what, feedback="it failed") for kind, what in told]
    mistakes = {event.event_id for event in made if event.kind == "mistake"}
    review = match(action, made, settings=SETTINGS)
    for warning in review.warnings:
        assert set(warning.event_ids) <= mistakes
        assert warning.frequency == len(warning.event_ids)
    assert review.confidence == max((w.confidence for w in review.warnings), default=0)


def test_a_hint_never_hides_a_mistake(guard):
    """The same action blocks, though the whole tool is even more suspect."""
    for name in ("Oslo", "Rome", "Bern", "Paris"):
        guard.record(f"Finish[{name}]", "Answer is INCORRECT")
    guard.record("Finish[Oslo]", "Answer is INCORRECT")
    evidence = {warning.evidence for warning in warnings(guard, "Finish[Oslo]")}
    assert {"same", "tool"} <= evidence
    with pytest.raises(GuardrailTriggered):
        guard.before_step("Finish[Oslo]", policy="block")
