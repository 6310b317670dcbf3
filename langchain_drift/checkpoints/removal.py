"""Removing a thread from a checkpoint database, by LangGraph's own checkpointer."""

from langchain_drift.checkpoints.database import is_postgres
from langchain_drift.errors import StoreError


def delete_thread(place: str, thread_id: str) -> None:
    """Remove a thread with all its checkpoints.

    Args:
        place: The path of an SQLite file, or the address of a Postgres database; it has been
            opened with `open_checkpoints` before, which says what is wrong with it.
        thread_id: The thread.

    Raises:
        StoreError: If it cannot be removed.
    """
    try:
        if is_postgres(place):
            from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415 - an extra

            with PostgresSaver.from_conn_string(place) as saver:
                saver.delete_thread(thread_id)
        else:
            from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - an extra

            with SqliteSaver.from_conn_string(place) as lite:
                lite.delete_thread(thread_id)
    except database_errors(place) as error:
        message = f"The thread {thread_id} cannot be removed: {str(error).strip()}."
        raise StoreError(message) from error


def database_errors(place: str) -> type[Exception]:
    """Return the family of errors of the database behind a place."""
    if is_postgres(place):
        import psycopg  # noqa: PLC0415 - an extra

        return psycopg.Error
    import sqlite3  # noqa: PLC0415 - beside the other

    return sqlite3.Error
