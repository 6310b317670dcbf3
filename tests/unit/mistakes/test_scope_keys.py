import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from langchain_drift import InvalidInputError, Scope
from langchain_drift.mistakes.scope import as_scope

names = st.text(max_size=20)


scopes = st.builds(Scope, tenant=names, user=names, environment=names)


@given(scopes, scopes)
def test_different_scopes_have_different_keys(one, other):
    """Two scopes have one key exactly if all their parts are equal."""
    assert (one.key == other.key) == (one == other)


@given(scopes)
def test_a_key_gives_its_scope_back(scope):
    """A scope survives the way through its key."""
    assert Scope.from_key(scope.key) == scope


def test_shorthands():
    """A string names an environment, None the scope without parts."""
    assert as_scope("prod") == Scope(environment="prod")
    assert as_scope(None) == Scope()
    assert Scope().key == ""
    assert as_scope(Scope(tenant="a")) == Scope(tenant="a")


@pytest.mark.parametrize("scope", [7, ["a"], "x" * 513])
def test_what_is_no_scope_is_refused(scope):
    """Anything but a scope, a short string or None is refused."""
    with pytest.raises(InvalidInputError, match="scope is"):
        as_scope(scope)


@pytest.mark.parametrize("key", ["nonsense", json.dumps(["a"]), json.dumps({"a": 1}), "[1,2,3]"])
def test_what_is_no_key_is_refused(key):
    """A broken key is told and does not become a scope."""
    with pytest.raises(InvalidInputError, match="no key of a scope"):
        Scope.from_key(key)


def test_a_scope_is_frozen_and_has_no_other_parts():
    """A scope cannot be changed, and a misspelt part is refused."""
    with pytest.raises(ValidationError):
        Scope(tenat="a")
    with pytest.raises(ValidationError):
        Scope().tenant = "a"
