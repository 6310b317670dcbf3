"""Whose memory it is: scopes never see one another."""

import json
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from langchain_drift.errors import InvalidInputError

_LONGEST = 512


class Scope(BaseModel):
    """Whose memory it is; two scopes share nothing unless all three parts are equal.

    Attributes:
        tenant: The customer or organisation; empty for none.
        user: The person or account; empty for none.
        environment: Where actions run, such as `production` or a database; empty for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tenant: str = Field(default="", max_length=_LONGEST)
    user: str = Field(default="", max_length=_LONGEST)
    environment: str = Field(default="", max_length=_LONGEST)

    @property
    def key(self) -> str:
        """The scope as one string, different for every scope; empty for `Scope()`."""
        parts = [self.tenant, self.user, self.environment]
        return json.dumps(parts, ensure_ascii=True) if any(parts) else ""

    @classmethod
    def from_key(cls, key: str) -> Self:
        """Return the scope of a `key`.

        Raises:
            InvalidInputError: If it is no key of a scope.
        """
        if not key:
            return cls()
        try:
            tenant, user, environment = json.loads(key)
            return cls(tenant=tenant, user=user, environment=environment)
        except (TypeError, ValueError) as error:
            message = f"{key!r:.80} is no key of a scope; make keys with `Scope(…).key`."
            raise InvalidInputError(message) from error

    def __str__(self) -> str:
        return "/".join(part or "-" for part in (self.tenant, self.user, self.environment))


def as_scope(scope: str | Scope | None) -> Scope:
    """Return a scope; a string names an environment, None the scope without any part.

    Raises:
        InvalidInputError: If it is anything else, or a name of more than 512 characters.
    """
    if scope is None:
        return Scope()
    if isinstance(scope, Scope):
        return scope
    if not isinstance(scope, str) or len(scope) > _LONGEST:
        message = (
            f"scope is {scope!r:.80}, but must be a Scope, a string of at most {_LONGEST} "
            "characters, or None."
        )
        raise InvalidInputError(message)
    return Scope(environment=scope)
