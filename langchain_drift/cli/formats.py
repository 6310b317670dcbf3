"""How the commands write their results."""

from enum import StrEnum


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


class ReportFormat(StrEnum):
    """How an evaluation is written."""

    TABLE = "table"
    JSON = "json"
