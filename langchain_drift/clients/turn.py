"""What is kept of a turn that went through a client."""

from langchain_drift.conversation.result import TurnResult


class ClientTurn(TurnResult):
    """One turn that went through a wrapped client, with its result.

    Attributes:
        conversation: The conversation, by its key or by a name made up for it.
        response_id: The id of the response.
        complete: Whether the response was read to its end; false for a stream closed early or
            cut off.
        is_redo: Whether it takes the place of later turns of the conversation: a message was
            edited or answered again.
        error: Why there is no score, if scoring failed; `drift` is None then.
    """

    conversation: str
    response_id: str | None = None
    complete: bool = True
    is_redo: bool = False
    error: str | None = None
