"""The report of conversations as one HTML page."""

import base64
import hashlib
import itertools
import re
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_drift import DriftTracker, InvalidInputError, report_html
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.page import conversations_page

NAMES = """
html head meta title style body a header h1 p main section h2 dl div dt dd small table caption thead
tr th tbody td svg rect span article details summary h3 g path bdi i b em ol li use fieldset legend
label input footer pre
"""
TAGS = set(NAMES.split())


@pytest.fixture
def chats(chat):
    return {"calm": chat(95, 96, 91), "gone": chat(95, 10, 5), "back": chat(95, 20, 80)}


def test_the_overview_counts(chats, read_page):
    """Conversations, those that left, those still off and turns off purpose are counted."""
    text = read_page(report_html(chats)).words
    assert "3 conversations, 9 turns" in text
    assert "left their purpose 2 67 %" in text
    assert "still off at the end 1 33 %" in text
    assert "turns off purpose 3 33 %" in text


def test_the_worst_come_first_in_the_overview(chats):
    """The table of lowest scores is ordered by them and leads to conversation and turn."""
    page = report_html(chats)
    assert re.findall(r'<a href="(#[ct][\d-]+)">', page) == ["#c2", "#t2-2", "#c3", "#t3-2", "#c1"]


def test_every_link_leads_somewhere(chats, read_page):
    """Each link and each picture that is used again has its target, and ids are unique."""
    page = read_page(report_html(chats))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {value.removeprefix("#") for value in page.values("href")} <= set(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)


def test_conversations_tell_their_story_and_turns(chats, read_page):
    """A section per conversation says what happened and shows every turn."""
    page = read_page(report_html(chats))
    assert page.tags.count("article") == 3
    assert page.tags.count("li") == 9
    for story in ("stayed on purpose", "left at turn 2, did not come back", "came back at turn 3"):
        assert story in page.text


@pytest.mark.parametrize(
    ("scores", "story"),
    [
        ((95, 10, 90, 10, 90), "left 2 times, first at turn 2, came back at turn 5"),
        ((95, 10, 90, 10), "left 2 times, first at turn 2, ended off purpose"),
        ((None, None), "not scored"),
    ],
)
def test_stories(chat, read_page, scores, story):
    """What happened is told in a few words."""
    assert story in read_page(report_html(chat(*scores))).text


def test_a_conversation_whose_departure_is_not_kept_says_so(chat, read_page):
    """Where the first turn that is kept is off purpose already, the story begins there."""
    assert "off purpose all along" in read_page(report_html(chat(95, 10, 5)[2:])).text
    back = read_page(report_html(chat(95, 10, 5, 90)[2:])).text
    assert "off purpose at first, came back at turn 4" in back


def test_a_turn_answered_again_has_an_anchor_of_its_own(chat, read_page):
    """Two departures at one number, after an edit, are two places of the page."""
    first, off = chat(95, 10)
    page = read_page(report_html([first, off, off]))
    assert page.values("id")[-2:] == ["t1-2", "t1-3"]


def test_a_long_purpose_that_all_share_counts_once(chat):
    """A page has room for the turns of many conversations with one long system prompt."""
    purpose = "Help with savings accounts. " * 300
    chats = [Conversation(str(n), tuple(chat(95, 90)), purpose) for n in range(50)]
    page = conversations_page(chats, max_bytes=200_000)
    assert "To keep this page small" not in page
    assert page.count("Help with savings") == 300


def test_the_page_forbids_everything_but_its_own_style(chats, read_page):
    """The policy comes first, allows no script and no request, and fits the style."""
    page = report_html(chats)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in page
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert "url(" not in style
    assert "@import" not in style
    names = {name for name, _ in read_page(page).attributes}
    assert not names & {"src", "style", "srcset", "action", "data"}
    assert not any(name.startswith("on") for name in names)


def test_hostile_text_stays_text(chat, hostile, read_page):
    """Names, purposes and whatever was said become no tag, attribute or control character."""
    tracker = DriftTracker(hostile, session_id=hostile)
    tracker.record_turn(hostile, hostile)
    turns = chat(95, 10, user=hostile, assistant=hostile, why=hostile)
    for page in (report_html({hostile: turns, "b": turns}, title=hostile), report_html(tracker)):
        found = read_page(page)
        assert set(found.tags) <= TAGS
        assert found.tags.count("style") == 1
        assert not set(page) & set("\x1b\x00\u202e")
        assert "<script>" in found.text


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=9), st.text(max_size=30), min_size=1, max_size=3))
def test_any_text_stays_text(chat, read_page, texts):
    """Whatever names and texts are, the page has the tags of its templates only."""
    page = read_page(report_html({name: chat(95, 10, user=said) for name, said in texts.items()}))
    assert set(page.tags) <= TAGS
    assert page.tags.count("article") == len(texts)


def test_a_page_can_be_read_without_seeing_it(chats, read_page):
    """Landmarks, one h1, headings in order, captions, column heads, a name for each picture."""
    page = read_page(report_html(chats))
    for landmark in ("header", "main", "footer"):
        assert page.tags.count(landmark) == 1
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))
    assert page.tags.count("caption") == page.tags.count("table") == 2
    assert page.values("scope").count("col") == page.tags.count("th") - page.values("scope").count(
        "row"
    )
    hidden, named = page.values("aria-hidden"), page.values("aria-label")
    assert page.tags.count("svg") <= hidden.count("true") + len(named)
    assert ("lang", "en") in page.attributes
    first_link = page.values("href")[0]
    assert first_link == "#conversations"


def test_what_is_shared_is_said_once(chat):
    """The purpose that all conversations have stands in the overview only."""
    tracker = DriftTracker("Help with savings accounts and loans.", session_id="s")
    tracker.record_turn("What do I need for a loan?", "Proof of income for the loan.")
    assert report_html(tracker).count("Help with savings accounts and loans.</p>") == 1


def test_turns_without_a_score_are_shown(chat, read_page):
    """A turn that failed or waits has its texts and a dash."""
    text = read_page(report_html(chat(95, None, user="what was said"))).text
    assert "2 – not scored" in text
    assert "not scored1" in "".join(text.split("\n"))


def test_a_title_and_a_date_can_be_given(chat, read_page):
    """The heading and the moment stand at the top; without them nothing depends on the clock."""
    at = datetime(2026, 11, 30, 9, 5, tzinfo=UTC)
    text = read_page(report_html(chat(95), title="March <chats>", made_at=at)).text
    assert text.count("March <chats>") == 2
    assert "2026-11-30 09:05 UTC" in text
    assert report_html(chat(95)) == report_html(chat(95))


def big(chat, conversations, turns, size=180):
    said = "The daily limit is 500 euros. " * (1 + size // 30)
    texts = {"user": said[: size // 3], "assistant": said[:size], "why": said[:110]}
    scores = [95, 93, 70, 20, 97] * (turns // 5)
    return {f"thread-{n}": chat(*scores[n % 7 :], **texts) for n in range(conversations)}


def test_a_big_report_is_at_most_five_megabytes(chat):
    """500 conversations of 30 turns fit, with every turn, and the page says what was cut."""
    found = big(chat, 500, 30)
    page = report_html(found)
    assert 4_000_000 < len(page.encode()) <= 5_000_000
    assert page.count("<li") == sum(map(len, found.values()))
    whole = report_html(big(chat, 20, 30))
    assert "To keep this page small" not in whole


@pytest.mark.parametrize("size", [20, 400, 3_000])
@pytest.mark.parametrize("max_bytes", [100_000, 400_000, 1_500_000])
def test_a_page_keeps_its_size(chat, size, max_bytes):
    """Whatever is said, the page takes at most what it may, and no more is cut than need be."""
    page = report_html(big(chat, 60, 40, size), max_bytes=max_bytes)
    taken = len(page.encode())
    assert taken <= max_bytes
    assert taken >= 0.8 * max_bytes or "To keep this page small" not in page


def test_where_turns_are_left_out_the_worst_are_kept(chat):
    """The conversations with the lowest scores keep their turns."""
    long = "word " * 400
    found = {f"calm {n}": chat(95, 94, 93, user=long) for n in range(150)}
    found["gone"] = chat(95, 10, 5, user="here it went wrong")
    page = report_html(found, max_bytes=200_000)
    assert "here it went wrong" in page
    assert re.search(r"the turns of \d+ conversations with the highest scores", page)


def test_parameters_are_checked(chat):
    """A size that holds nothing and a source without turns are refused in a sentence."""
    with pytest.raises(
        InvalidInputError, match="max_bytes is 10, but must be a whole number of at least 50000"
    ):
        report_html(chat(95), max_bytes=10)
    with pytest.raises(InvalidInputError, match="has no turn to show"):
        report_html([])
