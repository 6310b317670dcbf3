"""Plots without matplotlib."""

import sys

import pytest

from langchain_drift import MissingExtraError, plot_drift


def test_without_matplotlib_the_extra_is_named(chat, monkeypatch):
    """Who has no matplotlib is told what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"langchain-drift\[plot\]"):
        plot_drift(chat(95))
