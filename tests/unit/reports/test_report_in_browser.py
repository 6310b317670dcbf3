"""The report pages in a real browser: a system's Chromium, Chrome or Edge, without a window."""

import os
import shutil

import pytest

from langchain_drift import DriftGuard, DriftGuardSettings, report_html

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
WIDTHS = (390, 820, 1440)

CONTRASTS = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => v / 255).map(
      v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const e of document.body.querySelectorAll('*')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('svg') || !e.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = e.tagName + '.' + e.className;
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser():
    """Return a browser of this machine; without one the tests are skipped, and fail in CI."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra
    except ImportError:
        path = None
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs Chromium and playwright")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path)
        settings = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
        yield {
            scheme: found.new_context(color_scheme=scheme, **settings)
            for scheme in ("light", "dark")
        }
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, chat, hostile):
    """Return the addresses of a page of conversations and of one of a memory, both hostile."""
    folder = tmp_path_factory.mktemp("pages")
    chats = {f"chat {n}": chat(95, 70, 92, 96, user="How long? " * 30) for n in range(12)}
    chats[hostile] = chat(95, 80, 60, 40, 10, 5, user=hostile, assistant=hostile, why=hostile)
    chats["back"] = [*chat(95, 10, 80), *chat(None)]
    chats["long" * 60] = chat(95, 10, 80, assistant="unbroken" * 200)
    guard = DriftGuard(settings=DriftGuardSettings(storage_backend="memory"))
    for number in range(5):
        guard.record(hostile, hostile, hostile, scope=hostile, source=hostile * 3)
        guard.record_success(f"make step-{number} --plan={'a' * 200}", "unbroken" * 200)
    found = {"conversations": report_html(chats), "memory": report_html(guard)}
    for name, page in found.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in found}


@pytest.fixture
def visit(browser):
    """Return a function that opens a page with everything in it shown, and notes its troubles."""
    opened = []

    def visit(address, scheme="light", *, is_open=True):
        page = browser[scheme].new_page()
        opened.append(page)
        page.troubles, page.asked = [], []
        page.on("console", lambda message: page.troubles.append(message.text))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("requestfinished", lambda request: page.asked.append(request.url))
        page.goto(address)
        if is_open:
            page.evaluate(
                "for (const each of document.querySelectorAll('details')) each.open = true"
            )
        return page

    yield visit
    for page in opened:
        page.close()


@pytest.mark.parametrize("name", ["conversations", "memory"])
def test_nothing_is_run_and_nothing_is_fetched(visit, pages, name):
    """Payloads stay text: no script or image is made, no request but the page, no complaint."""
    page = visit(pages[name])
    assert page.title() in ("Conversation drift", "Mistake memory")
    assert page.locator("script, img, iframe, object, embed, link").count() == 0
    assert page.get_by_text("<script>document.title='hacked'</script>").count() > 3
    assert page.asked == [pages[name]]
    assert page.troubles == []


def test_the_policy_stops_what_is_put_in(visit, pages):
    """Were a script to get in all the same, the browser would refuse to run it."""
    page = visit(pages["conversations"])
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', "
        "`<img src=x onerror=\"document.title='hacked'\"><p style='color:red' id=late>late</p>`)"
    )
    page.wait_for_timeout(100)
    assert page.title() == "Conversation drift"
    assert len(page.troubles) >= 2
    assert page.asked == [pages["conversations"]]


@pytest.mark.parametrize("name", ["conversations", "memory"])
def test_no_width_needs_to_be_scrolled_sideways(visit, pages, name):
    """Names and words without a break stay within a phone, a tablet and a desktop."""
    page = visit(pages[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["conversations", "memory"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(visit, pages, name, scheme):
    """Every text stands out from what is behind it by 4.5 to 1 at least (WCAG AA)."""
    contrasts = visit(pages[name], scheme=scheme).evaluate(CONTRASTS)
    assert len(contrasts) > 15
    assert {name: ratio for name, ratio in contrasts.items() if ratio < 4.5} == {}


def test_the_scheme_follows_the_reader(visit, pages):
    """The page is light or dark as the reader has set it."""
    ground = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    assert min(visit(pages["conversations"]).evaluate(ground)) > 230
    assert max(visit(pages["conversations"], scheme="dark").evaluate(ground)) < 40


def test_the_keyboard_reaches_everything(visit, pages):
    """Tab first shows the skip link; it leads to the conversations, and Enter opens one."""
    page = visit(pages["conversations"], is_open=False)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    assert "solid" in page.evaluate("getComputedStyle(document.activeElement).outline")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "conversations"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "radio"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.locator("details[open]").count() == 0
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1


def test_a_link_of_the_overview_opens_the_turn(visit, pages):
    """Following a link shows the turn at which a conversation left, whatever was closed."""
    page = visit(pages["conversations"], is_open=False)
    page.get_by_role("link", name="turn 4").click()
    turn = page.locator("#t13-4")
    assert turn.is_visible()
    assert 0 <= turn.bounding_box()["y"] < 900


def test_conversations_can_be_chosen(visit, pages):
    """Without a script, only those that left, or are still off, can be shown."""
    page = visit(pages["conversations"], is_open=False)
    shown = page.locator("article:visible")
    assert shown.count() == 15
    page.get_by_label("that left").check()
    assert shown.count() == 3
    page.get_by_label("still off").check()
    assert shown.count() == 1


@pytest.mark.parametrize("name", ["conversations", "memory"])
def test_a_screen_reader_finds_its_way(visit, pages, name):
    """Landmarks, headings, named tables with column and row heads, and lists are exposed."""
    page = visit(pages[name])
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("region", name="Overview").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("heading", level=3).count() == page.locator("article").count()
    tables = page.get_by_role("table")
    assert tables.count() == page.locator("table > caption").count() > 1
    assert page.get_by_role("columnheader").count() >= 2 * tables.count()
    assert page.get_by_role("rowheader").count() >= tables.count()


def test_a_big_report_opens_and_scrolls(visit, chat, tmp_path):
    """500 conversations of 30 turns open at once, and a step of scrolling takes no long frame."""
    texts = {"user": "The limit? " * 5, "assistant": "It is 500 euros. " * 10, "why": "so " * 30}
    chats = {f"thread {n}": chat(*[95, 93, 70, 20, 97] * 6, **texts) for n in range(500)}
    file = tmp_path / "big.html"
    file.write_text(report_html(chats), encoding="utf-8")
    page = visit(file.as_uri())
    timing = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    assert page.evaluate(timing) < 5_000
    frames = page.evaluate(
        """async () => {
          const found = [], height = document.documentElement.scrollHeight;
          for (let step = 0; step < 40; step++) {
            const start = performance.now();
            scrollTo(0, height * step / 40);
            await new Promise(requestAnimationFrame);
            found.push(performance.now() - start);
          }
          return found.sort((a, b) => a - b);
        }"""
    )
    assert frames[20] < 150
