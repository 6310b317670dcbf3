"""Scopes as they are written on the command line."""

import re

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.scope import Scope, as_scope

_PARTS = ("tenant", "user", "environment")
_PART = re.compile(rf"(?:^|,)({'|'.join(_PARTS)})=")


def read_scope(text: str | None) -> Scope | None:
    """Return a scope: the name of an environment, or `tenant=…,user=…,environment=…`.

    Raises:
        InvalidInputError: If a part is named twice.
    """
    if text is None:
        return None
    if not _PART.match(text):
        return as_scope(text)
    _, *rest = _PART.split(text)
    names, values = rest[::2], rest[1::2]
    if len(set(names)) < len(names):
        message = f"--scope {text!r:.80} names a part twice; give each of {', '.join(_PARTS)} once."
        raise InvalidInputError(message)
    return Scope.model_validate(dict(zip(names, values, strict=True)))


def write_scope(scope: Scope) -> str:
    """Return a scope as `read_scope` reads it; empty for the scope without parts."""
    if not scope.tenant and not scope.user and not _PART.match(scope.environment):
        return scope.environment
    given = {name: getattr(scope, name) for name in _PARTS}
    return ",".join(f"{name}={value}" for name, value in given.items() if value)
