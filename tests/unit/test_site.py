"""The documentation site holds every public name, builds strictly, and loads nothing from afar."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import langchain_drift
from langchain_drift import evaluation

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
IDENTIFIER = re.compile(r"^::: langchain_drift\.([\w.]+)$", re.MULTILINE)
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
NAMED_ONLY = {"canonical", "alternate"}
"""Links that no browser follows by itself."""


def documented():
    """Return the identifiers that the reference pages hold."""
    texts = (page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md")))
    return [name for text in texts for name in IDENTIFIER.findall(text)]


def test_every_public_name_is_in_the_reference_once():
    """Each public name, those behind an extra and of the evaluation too, has one place there."""
    assert set(langchain_drift.__all__) <= {*langchain_drift._MODULES, "__version__"}
    expected = [*langchain_drift._MODULES, *(f"evaluation.{name}" for name in evaluation.__all__)]
    assert sorted(documented()) == sorted(expected)


class Loads(HTMLParser):
    """Collects what a browser loads for a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in LOADED and given.get("rel") not in NAMED_ONLY:
            self.found.append(given.get(LOADED[tag]) or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as CI does; a warning ends the build."""
    if not os.environ.get("CI"):
        pytest.importorskip("mkdocstrings")
    from mkdocs.commands.build import build  # noqa: PLC0415 - needs the extra `docs`
    from mkdocs.config import load_config  # noqa: PLC0415 - likewise

    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(folder))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return folder


def test_the_site_is_built_strictly_and_loads_nothing_from_another_host(site):
    """No page needs the network: scripts, styles, fonts and pictures lie beside it."""
    pages = sorted(site.rglob("*.html"))
    sources = {page.stem for page in (ROOT / "docs").rglob("*.md")}
    assert {page.stem for page in pages} == sources | {"404"}
    loads = {each for page in pages for each in Loads(page.read_text(encoding="utf-8")).found}
    assert loads
    assert [each for each in loads if "//" in each] == []


def test_every_public_name_has_an_anchor_on_the_site(site):
    """What a reference page names is really shown: a heading with its anchor."""
    text = "".join(page.read_text(encoding="utf-8") for page in site.glob("reference/*.html"))
    missing = [name for name in documented() if f'id="langchain_drift.{name}"' not in text]
    assert missing == []
