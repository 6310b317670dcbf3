"""Fixtures of the reports: conversations with given scores, pages as a browser reads them."""

from html.parser import HTMLParser

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings, DriftScore, TurnResult


class Page(HTMLParser):
    """A page: its tags, attributes, ids and text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.pieces = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.pieces.append(data)

    @property
    def text(self):
        return "".join(self.pieces)

    @property
    def words(self):
        return " ".join(" ".join(self.pieces).split())

    def values(self, name):
        return [value for key, value in self.attributes if key == name]


def _turn(number, score, marks, *, user="ask", assistant="answer", why="because", **more):
    drift = None if score is None else DriftScore(score=score, turn_number=number)
    texts = {"user_message": user, "assistant_response": assistant, "explanation": why}
    return TurnResult(drift=drift, **texts, **marks, **more)


@pytest.fixture(scope="session")
def chat():
    """Return a function that makes results of scores; they depart and return as a scorer's do."""

    def make(*scores, **texts):
        found, is_off = [], False
        for number, score in enumerate(scores, start=1):
            is_alarm = is_off if score is None else score < 55
            marks = {"departed": is_alarm and not is_off, "returned": is_off and not is_alarm}
            found.append(_turn(number, score, marks, **texts))
            is_off = is_alarm
        return found

    return make


@pytest.fixture(scope="session")
def hostile():
    """Return a text that would take over a page, a formula or a terminal."""
    return (
        "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
        " $\\frac{1}$ & </li></style>\x1b[31m\u202e\x00"
    )


@pytest.fixture(scope="session")
def read_page():
    """Return a function that reads a page."""
    return Page


@pytest.fixture
def guard():
    """Return a guard with an empty memory that no file holds."""
    found = DriftGuard(settings=DriftGuardSettings(storage_backend="memory"))
    yield found
    found.close()


@pytest.fixture
def pyplot(optional_package):
    """Return pyplot without a display; figures are closed after the test."""
    optional_package("matplotlib").use("Agg")
    found = optional_package("matplotlib.pyplot")
    yield found
    found.close("all")
