"""Words of which only one can hold at a time: days, months, places in an order."""

from langchain_drift.text.stems import stem

# One kind a line, its words that exclude one another apart by "/".
_KINDS = """
monday / tuesday / wednesday / thursday / friday / saturday / sunday
january / february / april / june / july / august / september / october / november / december
first / second / third / fourth / fifth / sixth / seventh / eighth / ninth / tenth / last
one / two / three / four / five / six / seven / eight / nine / ten
hourly / daily nightly / weekly / monthly / quarterly / yearly annual annually
north / east / south / west
red / green / blue / yellow / black / white
"""


def _read_kinds() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for line in _KINDS.strip().splitlines():
        words = [side.split() for side in line.split("/")]
        name = f"{words[0][0]}/{words[1][0]}"
        found |= {stem(word): (name, side[0]) for side in words for word in side}
    return found


ALTERNATIVES = _read_kinds()
"""Stem to the name of its kind, and to the word that stands for it: "nightly" to "daily"."""
