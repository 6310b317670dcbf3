"""What `DriftMiddleware` can be told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from langchain_drift.conversation.verdict import ALARM
from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.session_nodes.edges import SessionRoute
from langchain_drift.session_nodes.mirror import Namespace
from langchain_drift.sessions.reminder import REMINDER
from langchain_drift.sessions.summarize import Summarizer
from langchain_drift.sessions.tokens import check_budget, token_counter

OnDrift = Literal["monitor", "remind", "re_ask", "stop"]

STOPPED = (
    "I can't help with that here. Is there anything I can do for you within what I am here for?"
)
"""What the user reads in place of a reply that drifted."""


class DriftOptions(TypedDict, total=False):
    """Options of `DriftMiddleware`.

    Attributes:
        on_drift: What to do about drift. `monitor` (the default): score only. `remind`: while the
            running score is low, remind the model of its purpose in each of its calls. `re_ask`:
            also ask again for a reply that drifts, before the user gets it. `stop`: put
            `stop_message` in the place of such a reply.
        below: The running score, 0 to 100, below which there is drift; by default 55.
        max_re_asks: How often to ask again in a turn; by default once. The last reply is given to
            the user, whatever it is.
        stop_message: What the user reads in place of a reply that drifted.
        reminder: What the model is told; `{score}` is the running score.
        max_tokens: The budget of what the model sees, without tools; None for no limit.
        token_counter: What counts tokens: a function of messages or a model; by default an
            approximate count.
        end_session: An edge such as `make_should_end_session` gives: when it says `end_session` as
            the user begins a turn, what was said before is summarised and leaves the messages.
        summarizer: Who summarises: a function of the session's text, a chat model, or None for
            the built-in extract.
        max_summaries: How many summaries to keep and to show; by default 3.
        namespace: Where in the agent's store to keep summaries as well, and to find those of the
            user's other threads. The store does not follow forks.
        name: The name of the middleware, for a second one in an agent.
    """

    on_drift: OnDrift
    below: float
    max_re_asks: int
    stop_message: str
    reminder: str
    max_tokens: int | None
    token_counter: object
    end_session: Callable[[Any], SessionRoute] | None
    summarizer: Summarizer | None
    max_summaries: int
    namespace: Namespace | None
    name: str


@dataclass(frozen=True)
class Options:
    """Checked options; see `DriftOptions`.

    Raises:
        InvalidInputError: If one has a value it cannot take.
    """

    on_drift: OnDrift = "monitor"
    below: float = ALARM
    max_re_asks: int = 1
    stop_message: str = STOPPED
    reminder: str = REMINDER
    max_tokens: int | None = None
    token_counter: object = None
    end_session: Callable[[Any], SessionRoute] | None = None
    summarizer: Summarizer | None = None
    max_summaries: int = 3
    namespace: Namespace | None = None
    name: str = "DriftMiddleware"

    def __post_init__(self) -> None:
        """Check what is not checked where it is used."""
        if self.on_drift not in get_args(OnDrift):
            kinds = ", ".join(get_args(OnDrift))
            message = f"on_drift must be one of {kinds}, not {self.on_drift!r}."
            raise InvalidInputError(message)
        is_number = isinstance(self.below, int | float) and not isinstance(self.below, bool)
        if not is_number or not 0 <= self.below <= 100:  # noqa: PLR2004 - a score
            message = f"below must be a score from 0 to 100, not {self.below!r}."
            raise InvalidInputError(message)
        for name in ("stop_message", "reminder", "name"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                message = f"{name} must be a text that is not empty, not {text!r}."
                raise InvalidInputError(message)
        if self.end_session is not None and not callable(self.end_session):
            message = (
                f"end_session must be a function of the state, such as make_should_end_session() "
                f"gives, not {self.end_session!r:.80}."
            )
            raise InvalidInputError(message)
        check_count("max_re_asks", self.max_re_asks)
        check_count("max_summaries", self.max_summaries)
        check_budget(self.max_tokens)
        token_counter(self.token_counter)

    @property
    def reminds(self) -> bool:
        """Whether the model is reminded of its purpose."""
        return self.on_drift in ("remind", "re_ask")

    @property
    def judges_replies(self) -> bool:
        """Whether replies are judged before the user gets them."""
        return self.on_drift in ("re_ask", "stop")
