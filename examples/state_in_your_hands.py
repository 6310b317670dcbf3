"""Use the pure scorer: the state is plain JSON that you keep, fork and restore as you like."""

import json

from langchain_drift import DriftScorer

scorer = DriftScorer("You are the help desk of a city library: loans, renewals, opening hours.")
state = scorer.start()
state, first = scorer.step(state, "Can I renew my books online?", "Yes, under My loans.")

stored = json.dumps(state)  # a database row, a checkpoint, a cookie

_, stays = scorer.step(json.loads(stored), "How often can I renew?", "A loan renews three times.")
_, leaves = scorer.step(json.loads(stored), "Write a rap about cats", "Yo, whiskers on the beat!")
print(f"after one turn {first.drift.score:.0f}, one branch {stays.drift.score:.0f}, ", end="")
print(f"the other {leaves.drift.score:.0f}: {leaves.explanation}")
