"""One exception family: every error this package raises on purpose is a `DriftError`."""


class DriftError(Exception):
    """Base of all errors raised by langchain_drift."""


class InvalidInputError(DriftError, ValueError):
    """A value passed in cannot be used; the message names the value and the way out."""


class EmbeddingError(DriftError, RuntimeError):
    """An embedder gave vectors that cannot be used, or failed its integrity check."""


class MissingExtraError(DriftError, ImportError):
    """An optional dependency is not installed.

    Args:
        package: The import name of the missing package, for example `spacy`.
        extra: The extra of langchain-drift that installs it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"`{package}` is required for this. Install it with "
            f"`pip install 'langchain-drift[{extra}]'`.",
        )


class StoreError(DriftError, RuntimeError):
    """A store of events cannot be read or written; nothing in it was overwritten."""


class EmbedderChangedError(StoreError):
    """A store's vectors come from another embedder than the one in use.

    Args:
        stored: Fingerprint of the embedder of the stored vectors.
        used: Fingerprint of the embedder in use.
    """

    def __init__(self, stored: str | None, used: str) -> None:
        super().__init__(
            f"The memory was embedded with {stored}, but the embedder in use is {used}; their "
            "vectors cannot be compared. Use the former one, or embed the memory again with "
            "`guard.reembed()` or `langchain-drift memory reembed`.",
        )


class SummaryError(DriftError, RuntimeError):
    """A session could not be summarised; it goes on as if nothing had been asked."""


class BudgetError(InvalidInputError):
    """What must be in a context does not fit its token budget."""


class FrozenContextError(DriftError, RuntimeError):
    """A frozen context was to be changed; nothing was."""
