import pytest

from langchain_drift import DriftGuardSettings, InvalidInputError, compare_actions

OPPOSITES = """
enable TLS | disable TLS
grant admin to Bob | revoke admin from Bob
keep the temp directory | delete the temp directory
keep the old backups | wipe the old backups
attach the volume to the host | detach the volume from the host
mount the backup disk | unmount the backup disk
lock the account of the customer | unlock the account of the customer
allow uploads from guests | deny uploads from guests
publish the release notes | unpublish the release notes
archive the project | unarchive the project
cordon the node before the upgrade | uncordon the node before the upgrade
confirm the order of the customer | cancel the order of the customer
hold the parcel | release the parcel
copy production to staging | copy staging to production
move files from A to B | move files from B to A
transfer money from savings to checking | transfer money from checking to savings
merge main into dev | merge dev into main
stop without saving | save without stopping
delete the first row | delete the second row
delete user one | delete user two
send the report on Monday | send the report on Tuesday
paint the wall red | paint the wall blue
tighten the firewall rules | relax the firewall rules
deploy to staging | deploy to production
drop the staging table | drop the production table
delete user 1 | delete user 2
deploy on Friday | do not deploy on Friday
do deploy | do not deploy
increase memory | decrease memory
turn up the volume | turn down the volume
up | down
move the slider up | move the slider down
run the migration before the backup | run the migration after the backup
restart with cache | restart without cache
run tests with coverage | run tests without coverage
start the backup | stop the backup
turn off the payment retry | turn on the payment retry
flash board ZX1603 | flash board ZX1605
upgrade @lib/test-native | upgrade @lib/test-react-native
upgrade numpy to 1.26 | upgrade numpy to 2.0
put cup 1 on shelf 2 | put cup 2 on shelf 2
copy a.txt to /srv/a | copy a.txt to /srv/b
"""
PARAPHRASES = """
delete the temp directory | clear out /tmp before the run
delete the temp directory | remove everything under the tmp folder
retry the payment webhook | re-fire the payment callback
retry the payment webhook with the same payload | re-fire the payment callback
retry the payment webhook with the same payload | send the webhook again
restarting the worker during a deploy lost jobs | bounce the worker while we are deploying
ship to Bob the parcel from Ann | ship the parcel from Ann to Bob
before the deploy, restart the worker | restart the worker before the deploy
run the nightly backup | run the daily backup
"""


def pairs(text):
    """Return the pairs of a table."""
    return [tuple(map(str.strip, line.split("|"))) for line in text.strip().splitlines()]


@pytest.mark.parametrize(("one", "other"), pairs(OPPOSITES))
def test_opposites_are_never_one_and_never_recalled(one, other):
    """What contradicts in a number, a name, a negation or an opposite is another action."""
    for a, b in ((one, other), (other, one)):
        found = compare_actions(a, b)
        assert not found.merges
        assert not found.recalls
        assert found.conflicts
        assert found.conflicts[0] in found.reason


@pytest.mark.parametrize(("one", "other"), pairs(PARAPHRASES))
def test_paraphrases_are_recalled(one, other):
    """What means the same in other words is recalled."""
    found = compare_actions(one, other)
    assert found.recalls
    assert found.score > 0.5
    assert not found.conflicts


def test_the_same_but_for_spelling_is_one():
    """Spelling makes no other action, for words, code and calls."""
    call = {"name": "refund", "args": {"a": 1, "b": 2}}
    for a, b in (
        ("Delete it.", "delete  it"),
        ("SELECT a FROM b", "select a\nfrom b"),
        (call, 'refund {"b": 2, "a": 1}'),
    ):
        assert compare_actions(a, b).merges
        assert compare_actions(a, b).score == 1


def test_merging_is_stricter_than_recalling():
    """A merge recalls, and a paraphrase in quite other words does not merge."""
    near = compare_actions("delete all the old log files", "delete all of the old log files")
    assert near.merges
    assert near.recalls
    assert not compare_actions("delete the temp directory", "clear out /tmp first").merges


def test_what_only_one_names_forbids_a_merge():
    """A path on one side only does not veto a recall, but it forbids a merge."""
    found = compare_actions("delete the files of the run", "delete the files of the run in /tmp")
    assert found.recalls
    assert not found.merges


def test_another_argument_is_another_call():
    """Calls of one tool with one other value do not merge and score below 1."""
    one = {"name": "refund", "args": {"order": "A7", "amount": 10, "reason": "broken"}}
    other = {"name": "refund", "args": {"order": "A8", "amount": 10, "reason": "broken"}}
    found = compare_actions(one, other)
    assert not found.merges
    assert not found.recalls
    assert 0 < found.score < 1


def test_code_is_not_compared_by_meaning():
    """Two queries that mean nearly the same do not merge; prose and code are never one."""
    assert not compare_actions("SELECT a FROM t", "SELECT b FROM t").merges
    mixed = compare_actions("delete the temp directory", "rm -rf /tmp")
    assert not mixed.merges
    assert not mixed.recalls
    assert "prose" in mixed.reason


@pytest.mark.parametrize(
    ("one", "other", "merges"),
    [
        (
            "Unknown column 'u.id' in 'where clause'",
            "Unknown column 'users.id' in 'on clause'",
            True,
        ),
        ("Table 'a.users' doesn't exist", "Table 'b.users' doesn't exist", True),
        ("Table 'a.users' doesn't exist", "Table 'a.orders' doesn't exist", False),
        ("Unknown column 'num_users'", "Unknown column 'numusers'", False),
        ("Column 'id' is ambiguous", "Unknown column 'id' in 'where clause'", False),
        ("the build cache was wiped", "The build cache was  wiped.", True),
        ("the disk is full", "the disk is not full", False),
    ],
)
def test_feedback_is_told_apart_by_what_it_names(one, other, merges):
    """Messages are one if they name the same thing, however qualified, and say the same of it."""
    assert compare_actions(one, other, kind="feedback").merges == merges


def test_the_thresholds_decide():
    """The settings of merging and recalling take effect."""
    one, other = "delete the old log files", "remove the outdated logs"
    assert not compare_actions(one, other).merges
    loose = DriftGuardSettings(similarity_threshold_action=0.3)
    assert compare_actions(one, other, settings=loose).merges
    strict = DriftGuardSettings(retrieval_min_similarity=0.99)
    assert not compare_actions(one, other, settings=strict).recalls
    for kind in ("feedback", "outcome"):
        name = f"similarity_threshold_{kind}"
        assert not compare_actions(one, other, kind).merges
        assert compare_actions(one, other, kind, settings=DriftGuardSettings(**{name: 0.3})).merges


def test_an_unknown_kind_is_refused():
    """Only actions, feedback and outcomes can be compared."""
    with pytest.raises(InvalidInputError, match="kind is 'risk'"):
        compare_actions("a", "b", kind="risk")
