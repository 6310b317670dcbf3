"""The wire formats that are read."""

from enum import StrEnum


class Wire(StrEnum):
    """The format of a request and its response."""

    CHAT = "chat.completions"
    RESPONSES = "responses"
    MESSAGES = "messages"


_ENDS = {
    "/chat/completions": Wire.CHAT,
    "/responses": Wire.RESPONSES,
    "/v1/messages": Wire.MESSAGES,
}


def wire_of(method: str, url: str) -> Wire | None:
    """Return the format of a request by where it goes; None if it is no turn of a conversation.

    Args:
        method: The HTTP method.
        url: The path, or the whole URL.
    """
    if method.lower() != "post":
        return None
    path = url.partition("?")[0].rstrip("/")
    return next((wire for end, wire in _ENDS.items() if path.endswith(end)), None)
