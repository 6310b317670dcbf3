"""Server-sent events, read from their bytes as they come."""

import re

_LINE_ENDS = re.compile(rb"\r\n|\n|\r")


class EventStream:
    """Reads the data of server-sent events; bytes may be cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[str]:
        """Take bytes; return the data of the events that are whole now."""
        self._rest += chunk
        # A carriage return at the very end may be the first half of a line end.
        kept = b"\r" if self._rest.endswith(b"\r") else b""
        *lines, last = _LINE_ENDS.split(self._rest[: len(self._rest) - len(kept)])
        self._rest = last + kept
        return [data for line in lines if (data := self._line(line)) is not None]

    def end(self) -> list[str]:
        """Return the data of a last event without an empty line after it."""
        data = [self._line(line) for line in (*_LINE_ENDS.split(self._rest), b"")]
        self._rest = b""
        return [item for item in data if item is not None]

    def _line(self, line: bytes) -> str | None:
        if not line:
            data, self._data = self._data, []
            return b"\n".join(data).decode("utf-8", "replace") if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return None
