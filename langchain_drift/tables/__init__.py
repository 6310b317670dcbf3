"""Archives of conversations: tables in, the same tables with scores out."""

from langchain_drift.tables.score_table import score_table

__all__ = ["score_table"]
