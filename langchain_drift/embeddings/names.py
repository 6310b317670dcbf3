"""Names of embedders, for messages and fingerprints."""

from typing import Final

_MODEL_ATTRIBUTES: Final = ("model", "model_name", "model_id", "deployment")


def class_path(embedder: object) -> str:
    """Return the full name of an object's class, for example `my_package.embedders.Mine`."""
    kind = type(embedder)
    return f"{kind.__module__}.{kind.__qualname__}"


def model_of(embedder: object) -> str | None:
    """Return the name of the model that an embedder says it runs, or None if it does not say."""
    for attribute in _MODEL_ATTRIBUTES:
        value = getattr(embedder, attribute, None)
        if isinstance(value, str) and value:
            return value
    return None


def describe(embedder: object) -> str:
    """Name an embedder for a reader, for example `OpenAIEmbeddings (text-embedding-3-small)`."""
    model = model_of(embedder)
    name = type(embedder).__name__
    return f"{name} ({model})" if model else name
