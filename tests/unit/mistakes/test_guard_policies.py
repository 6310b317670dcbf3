import asyncio
import logging
import pickle

import pytest

from langchain_drift import (
    DriftError,
    DriftGuard,
    GuardrailAcknowledgementRequired,
    GuardrailTriggered,
    InvalidInputError,
    MemoryStore,
    build_runtime,
    guard_step,
    review_payload,
)

ACTION = "drop the orders table"


@pytest.fixture
def burnt(guard):
    """Return a guard that saw an action fail twice."""
    for _ in range(2):
        guard.record(ACTION, "all orders were gone", "restored from backup")
    return guard


def test_warn_returns_the_review(burnt):
    """The default policy lets the step pass and says what it knows."""
    assert burnt.before_step(ACTION).warnings


def test_block_raises_with_the_review(burnt):
    """A block carries the review, names the mistake and belongs to the family."""
    with pytest.raises(
        GuardrailTriggered, match="failed 2 times with 'all orders were gone'"
    ) as hit:
        burnt.before_step(ACTION, policy="block")
    assert hit.value.review.warnings[0].frequency == 2
    assert isinstance(hit.value, RuntimeError)
    assert isinstance(hit.value, DriftError)
    assert pickle.loads(pickle.dumps(hit.value)).review == hit.value.review  # noqa: S301 - our own


def test_one_sighting_does_not_block(guard):
    """At the defaults a single mistake warns; the second one blocks."""
    guard.record(ACTION, "all orders were gone")
    assert guard.before_step(ACTION, policy="block").warnings
    guard.record(ACTION, "all orders were gone")
    with pytest.raises(GuardrailTriggered):
        guard.before_step(ACTION, policy="block")


def test_acknowledge_passes_with_an_acknowledgement(burnt):
    """Such a step needs a word, and passes with it."""
    with pytest.raises(GuardrailAcknowledgementRequired, match="acknowledged=True"):
        burnt.before_step(ACTION, policy="acknowledge")
    assert burnt.before_step(ACTION, policy="acknowledge", acknowledged=True).warnings


def test_record_only_does_not_look(burnt):
    """The review is empty and says so; recording goes on."""
    review = burnt.before_step(ACTION, policy="record_only")
    assert review.skipped
    assert not review.warnings
    call = {"name": "a", "args": {"b": 1}}
    assert burnt.before_step(call, policy="record_only").query == 'a {"b": 1}'
    with pytest.raises(InvalidInputError):
        burnt.before_step(5, policy="record_only")
    assert burnt.record("another step", "failed")["status"] == "stored"


def test_raise_on_match_turns_warn_into_block(burnt):
    """For one call, `warn` blocks; other policies stay."""
    with pytest.raises(GuardrailTriggered):
        burnt.before_step(ACTION, raise_on_match=True)
    with pytest.raises(GuardrailAcknowledgementRequired):
        burnt.before_step(ACTION, raise_on_match=True, policy="acknowledge")


def test_the_confidence_needed_decides(burnt):
    """A warning blocks only if it is sure enough for the call, or for the settings."""
    assert burnt.before_step(ACTION, policy="block", min_confidence=0.9).warnings
    with pytest.raises(GuardrailTriggered):
        burnt.before_step(ACTION, policy="block", min_confidence=0.5)


def test_a_review_never_raises(make_guard):
    """`review` tells the same and leaves the policy aside."""
    guard = make_guard(guard_policy="block", guard_min_confidence=0)
    guard.record(ACTION, "gone")
    assert guard.review(ACTION).warnings
    with pytest.raises(GuardrailTriggered):
        guard.before_step(ACTION)


@pytest.mark.parametrize(
    "options", [{"policy": "blok"}, {"min_confidence": 1.5}, {"min_confidence": float("nan")}]
)
def test_wrong_options_are_refused_at_once(guard, options):
    """A misspelt policy does not silently warn."""
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        guard.before_step("a", **options)


def test_the_level_of_the_log_takes_effect(make_guard, caplog):
    """A block is logged at INFO, and a higher level keeps it quiet."""
    for level, logged in (("INFO", True), ("ERROR", False)):
        guard = make_guard(log_level=level, guard_min_confidence=0)
        guard.record(ACTION, "gone")
        caplog.clear()
        with pytest.raises(GuardrailTriggered):
            guard.before_step(ACTION, policy="block")
        assert any(r.levelno == logging.INFO for r in caplog.records) == logged


def test_reviews_are_counted_once(burnt):
    """A review counts once, whatever the policy makes of it; all counters are there at once."""
    counters = burnt.runtime.metrics_snapshot()["counters"]
    assert counters["reviews_total"] == 0
    assert counters["nodes_created_total"] == 3
    assert counters["nodes_merged_total"] == 3
    assert counters["edges_reused_total"] == 2
    burnt.before_step("something quite different")
    for policy in ("block", "acknowledge"):
        with pytest.raises(RuntimeError):
            burnt.before_step(ACTION, policy=policy)
    burnt.before_step(ACTION, policy="record_only")
    found = burnt.stats()["metrics"]
    assert found["counters"]["reviews_total"] == 3
    assert found["counters"]["reviews_blocked_total"] == 1
    assert found["counters"]["reviews_ack_required_total"] == 1
    assert found["counters"]["reviews_skipped_total"] == 1
    assert found["counters"]["review_warnings_total"] == 2
    assert found["counters"]["review_confidence_samples_total"] == 2
    assert found["gauges"]["review_confidence_average"] == pytest.approx(7 / 9)
    assert found["gauges"]["last_review_confidence"] == pytest.approx(7 / 9)
    assert found["gauges"]["merge_ratio"] == 1


class Executor:
    """Runs steps; the guard looks at its methods."""

    def __init__(self, guard):
        self.run = guard_step(guard, policy="block")(self._run)

    def _run(self, action, *, dry=False):
        return (action, dry)


def test_a_guarded_function_runs_unless_blocked(burnt):
    """A guarded function keeps its name and result; a blocked call does not run."""
    ran, reviews = [], []

    @guard_step(burnt, policy="block", on_review=reviews.append)
    def execute(action: str) -> str:
        """Execute an action."""
        ran.append(action)
        return action.upper()

    assert execute("list the orders") == "LIST THE ORDERS"
    assert execute.__doc__ == "Execute an action."
    with pytest.raises(GuardrailTriggered):
        execute(ACTION)
    assert ran == ["list the orders"]
    assert [review.query for review in reviews] == ran


def test_methods_are_guarded(burnt):
    """`self` is not taken for the action, positional or by name."""

    class Agent:
        @guard_step(burnt, policy="block")
        def execute(self, action, note=""):
            return action + note

    assert Agent().execute("list the orders", "!") == "list the orders!"
    for call in (lambda: Agent().execute(ACTION), lambda: Agent().execute(action=ACTION)):
        with pytest.raises(GuardrailTriggered):
            call()
    with pytest.raises(GuardrailTriggered):
        Executor(burnt).run(ACTION, dry=True)


async def test_async_functions_are_guarded(burnt):
    """A coroutine function stays one, and other tasks run while it is asked."""

    @guard_step(burnt, policy="block")
    async def execute(action):
        await asyncio.sleep(0)
        return action

    assert asyncio.iscoroutinefunction(execute)
    assert await execute("list the orders") == "list the orders"
    with pytest.raises(GuardrailTriggered):
        await execute(ACTION)


def test_named_arguments_come_before_the_first_string(burnt):
    """The action is the argument of that name, not the first string, such as a user id."""

    @guard_step(burnt, policy="block")
    def execute(user, action):
        return user

    with pytest.raises(GuardrailTriggered):
        execute("user-1", ACTION)
    assert execute(ACTION, "list the orders") == ACTION


def test_getters_decide(burnt):
    """Action and acknowledgement can be made of the arguments."""

    @guard_step(
        burnt,
        policy="acknowledge",
        input_getter=lambda step: step["do"],
        acknowledged_getter=lambda step: step["sure"],
    )
    def execute(step):
        return "done"

    with pytest.raises(GuardrailAcknowledgementRequired):
        execute({"do": ACTION, "sure": False})
    assert execute({"do": ACTION, "sure": True}) == "done"


def test_a_call_without_an_action_is_refused(burnt):
    """The error says how to name the action."""

    @guard_step(burnt)
    def execute(number):
        return number

    with pytest.raises(InvalidInputError, match="input_getter"):
        execute(7)


def test_a_payload_is_reviewed(burnt):
    """A payload comes back with the review and its numbers."""
    payload = {"action": ACTION, "attempt": 2, "sure": True}
    found = review_payload(burnt, payload)
    assert found["payload"] is payload
    assert found["warnings_count"] == 1
    assert found["reinforcements_count"] == 0
    assert found["confidence"] == found["review"].confidence > 0
    with pytest.raises(GuardrailAcknowledgementRequired):
        review_payload(burnt, payload, policy="acknowledge")
    assert review_payload(burnt, payload, policy="acknowledge", acknowledged_key="sure")
    with pytest.raises(InvalidInputError, match="no 'step'"):
        review_payload(burnt, payload, action_key="step")


def test_a_path_in_the_place_of_a_memory_is_told(tmp_path):
    """Who passes a file's name, or settings as a dict, reads where it belongs."""
    path = str(tmp_path / "memory.sqlite3")
    with pytest.raises(InvalidInputError, match=r"DriftGuardSettings\(sqlite_filepath=…\)"):
        DriftGuard(path)
    with pytest.raises(InvalidInputError, match="must be a DriftGuardSettings"):
        DriftGuard(settings={"sqlite_filepath": path})


def test_guards_can_share_a_runtime(make_guard):
    """Two guards on one runtime share memory and counters; its parts are given there only."""
    settings = make_guard().settings
    runtime = build_runtime(settings=settings, store=MemoryStore())
    DriftGuard(runtime).record(ACTION, "gone")
    assert DriftGuard(runtime).review(ACTION).warnings
    assert runtime.query_memory(ACTION).warnings
    assert runtime.register_success(ACTION)["status"] == "stored"
    assert runtime.register_mistake(ACTION, "gone")["status"] == "stored"
    assert runtime.graph_stats()["mistakes"]["events"] == 2
    with pytest.raises(InvalidInputError, match="its own settings"):
        DriftGuard(runtime, settings=settings)
