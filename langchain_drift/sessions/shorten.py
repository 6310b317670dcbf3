"""Texts cut in their middle, with a mark that shows it."""


def mark(characters: int) -> str:
    """Return what stands where so many characters were left out."""
    return f" [… {characters:,} characters left out …] "


def shorten(text: str, length: int) -> str:
    """Return a text whose middle is left out if that makes it shorter.

    Args:
        text: Any text.
        length: How many of its characters to keep, at least 0; two thirds of them are the
            beginning, the rest the end. The mark comes on top.
    """
    left_out = mark(len(text) - length)
    if len(text) <= length + len(left_out):
        return text
    end = length // 3
    return f"{text[: length - end]}{left_out}{text[len(text) - end :]}"
