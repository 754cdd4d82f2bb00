"""Postgres: the one store of corpora, vectors and runs. Everything goes through `connect`."""

from answertrail.store.connection import Connection, Database, connect

__all__ = ["Connection", "Database", "connect"]
