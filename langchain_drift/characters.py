"""Characters: whole ones, which every file, tokenizer and database can hold."""


def whole_characters(text: str) -> str:
    """Return a text in which each half of a broken character pair is replaced.

    Text cut at a fixed length, or read with `surrogateescape`, may hold lone surrogates, which
    cannot be written as UTF-8. Each becomes the replacement character; two halves that stand side
    by side become the character they make up.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
