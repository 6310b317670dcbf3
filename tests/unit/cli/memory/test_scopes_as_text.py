"""Scopes on the command line."""

from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import Scope
from langchain_drift.cli.memory.scopes import read_scope, write_scope

NAMES = st.text(st.sampled_from("abc=/ -é"), max_size=12)


@given(NAMES, NAMES, NAMES)
def test_what_is_written_is_read(tenant, user, environment):
    """Every scope can be named on the command line, and is named there as it is read."""
    scope = Scope(tenant=tenant, user=user, environment=environment)
    assert read_scope(write_scope(scope)) == scope


def test_a_plain_name_is_an_environment():
    """Most people have one kind of scope."""
    assert read_scope("staging/eu") == Scope(environment="staging/eu")
    assert read_scope(None) is None
