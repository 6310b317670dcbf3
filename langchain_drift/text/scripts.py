"""The script a text is written in."""

from bisect import bisect_right
from collections import Counter

# First character, last character, ISO 15924 code (`Jpan` stands for kana).
_RANGES = (
    (0x0041, 0x024F, "Latn"),
    (0x0370, 0x03FF, "Grek"),
    (0x0400, 0x052F, "Cyrl"),
    (0x0531, 0x058F, "Armn"),
    (0x0591, 0x05F4, "Hebr"),
    (0x0600, 0x077F, "Arab"),
    (0x08A0, 0x08FF, "Arab"),
    (0x0900, 0x097F, "Deva"),
    (0x0980, 0x09FF, "Beng"),
    (0x0A00, 0x0A7F, "Guru"),
    (0x0A80, 0x0AFF, "Gujr"),
    (0x0B00, 0x0B7F, "Orya"),
    (0x0B80, 0x0BFF, "Taml"),
    (0x0C00, 0x0C7F, "Telu"),
    (0x0C80, 0x0CFF, "Knda"),
    (0x0D00, 0x0D7F, "Mlym"),
    (0x0D80, 0x0DFF, "Sinh"),
    (0x0E00, 0x0E7F, "Thai"),
    (0x0E80, 0x0EFF, "Laoo"),
    (0x0F00, 0x0FFF, "Tibt"),
    (0x1000, 0x109F, "Mymr"),
    (0x10A0, 0x10FF, "Geor"),
    (0x1100, 0x11FF, "Hang"),
    (0x1200, 0x139F, "Ethi"),
    (0x1780, 0x17FF, "Khmr"),
    (0x1E00, 0x1EFF, "Latn"),
    (0x1F00, 0x1FFF, "Grek"),
    (0x3041, 0x30FF, "Jpan"),
    (0x3130, 0x318F, "Hang"),
    (0x31F0, 0x31FF, "Jpan"),
    (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"),
    (0xAC00, 0xD7AF, "Hang"),
    (0xF900, 0xFAFF, "Hani"),
    (0x20000, 0x3FFFF, "Hani"),
)
_STARTS = [first for first, _, _ in _RANGES]
# One character of these says as much as several letters of an alphabet.
_DENSE = {"Hani": 3, "Jpan": 2, "Hang": 2}
UNKNOWN_SCRIPT = "Zyyy"
"""What ISO 15924 calls a text without letters."""


def detect_script(text: str) -> str:
    """Return the ISO 15924 code of the script most of a text's letters are in.

    `Hani` is Chinese, `Jpan` is Han with kana, `Zyyy` a text without letters of a known script.
    """
    if text.isascii():
        return "Latn" if any(map(str.isalpha, text)) else UNKNOWN_SCRIPT
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        if character.isalpha():
            script = _script(ord(character))
            counts[script] += count * _DENSE.get(script, 1)
    if counts["Jpan"]:
        counts["Jpan"] += counts.pop("Hani", 0)
    return max(counts, key=counts.__getitem__) if counts else UNKNOWN_SCRIPT


def _script(code_point: int) -> str:
    position = bisect_right(_STARTS, code_point) - 1
    if position < 0 or code_point > _RANGES[position][1]:
        return UNKNOWN_SCRIPT
    return _RANGES[position][2]
