"""What the options of commands let choose from."""

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


class ExportFormat(StrEnum):
    """How events are written to a file."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class Tier(StrEnum):
    """How answers are judged."""

    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    JACCARD = "jaccard"


class FailOn(StrEnum):
    """The verdict from which `score` exits with 3."""

    MILD = "mild"
    MODERATE = "moderate"
    SEVERE = "severe"
    CRITICAL = "critical"


class RagFailOn(StrEnum):
    """What `rag` exits with 3 on."""

    DRIFT = "drift"
    UNSCORED = "unscored"


class ReviewFailOn(StrEnum):
    """What `memory review` exits with 3 on."""

    WARNING = "warning"
    BLOCK = "block"


class Side(StrEnum):
    """What an event of a memory is."""

    MISTAKE = "mistake"
    SUCCESS = "success"
