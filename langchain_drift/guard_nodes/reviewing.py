"""From reviews to what stands in the state; pure."""

from collections.abc import Sequence
from typing import Any

from langchain_drift.guard_nodes.actions import Candidate
from langchain_drift.guard_nodes.keys import PublishedKeys
from langchain_drift.guard_nodes.state import GuardDecision, GuardRecord, ReviewedAction
from langchain_drift.mistakes.policy import Ruling, rule
from langchain_drift.mistakes.review import GuardReview


def make_guard_record(
    reviewed: Sequence[tuple[Candidate, GuardReview]],
    ruling: Ruling,
    *,
    review_id: str,
    before: GuardRecord | None,
    revisions: int,
) -> tuple[GuardRecord, GuardDecision]:
    """Return what a guard said, and where to go by it.

    Args:
        reviewed: The actions and what is said of each.
        ruling: What holds for them.
        review_id: The identity of the review.
        before: The review before, if it sent the action back.
        revisions: How many reviews in a row may send it back.
    """
    actions = [_reviewed(one, review, ruling) for one, review in reviewed]
    warnings = [warning for one in actions for warning in one["warnings"]]
    sent_back = before["revisions"] if before else 0
    record = GuardRecord(
        review_id=review_id,
        policy=ruling.policy,
        actions=actions,
        warnings=sorted(warnings, key=lambda warning: -warning["confidence"]),
        confidence=max((one["confidence"] for one in actions), default=0.0),
        prompt="\n".join(filter(None, (review.to_prompt() for _, review in reviewed))),
        revisions=sent_back,
        revisions_left=max(0, revisions - sent_back),
        answers={},
    )
    stopped = [one for one in actions if one["stopped"]]
    if not stopped:
        return record, "execute"
    if ruling.policy == "acknowledge":
        return record, "acknowledge"
    if len(stopped) < len(actions):
        return record, "execute"
    return send_back(record)


def send_back(record: GuardRecord) -> tuple[GuardRecord, GuardDecision]:
    """Return where an action goes that is not run: back, until that was done often enough."""
    if not record["revisions_left"]:
        return record, "blocked"
    again: GuardRecord = {
        **record,
        "revisions": record["revisions"] + 1,
        "revisions_left": record["revisions_left"] - 1,
    }
    return again, "revise"


def published_values(reviews: Sequence[GuardReview], keys: PublishedKeys) -> dict[str, Any]:
    """Return the values of driftguard-ai's review node for the keys that are named."""
    warnings = sorted((w for r in reviews for w in r.warnings), key=lambda w: -w.confidence)
    worked = sorted((r for v in reviews for r in v.reinforcements), key=lambda r: -r.confidence)
    values = {
        "warnings_key": len(warnings),
        "confidence_key": max((review.confidence for review in reviews), default=0.0),
        "top_warning_key": warnings[0].model_dump(mode="json") if warnings else None,
        "reinforcements_key": len(worked),
        "top_reinforcement_key": worked[0].model_dump(mode="json") if worked else None,
    }
    return {str(keys[name]): value for name, value in values.items() if name in keys}  # type: ignore[literal-required] # its own names


def _reviewed(candidate: Candidate, review: GuardReview, ruling: Ruling) -> ReviewedAction:
    told = review.to_dict()
    return ReviewedAction(
        id=candidate.id,
        action=review.query,
        name=candidate.name,
        args=candidate.args,
        warnings=told["warnings"],
        reinforcements=told["reinforcements"],
        confidence=float(review.confidence),
        stopped=rule(review, ruling) != "pass",
    )
