from __future__ import annotations

import asyncio
from dataclasses import replace

import psycopg
import pytest

from answertrail.errors import MismatchError, ServiceError
from answertrail.records.chunk import text_hash
from answertrail.settings import Settings
from answertrail.store import Database, connect, corpora, embeddings, migrations, server
from answertrail.store.connection import describe, first_line
from answertrail.store.migrations import m001_initial

pytestmark = pytest.mark.asyncio


@pytest.fixture
def blank(store_server: server.Server, settings: Settings) -> Settings:
    """Settings of a database without any table of ours."""
    with psycopg.connect(store_server.conninfo("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS blank WITH (FORCE)")
        connection.execute("CREATE DATABASE blank")
    return replace(settings, database_url=store_server.conninfo("blank"))


async def names(db: Database) -> list[str]:
    async with db.transaction() as conn:
        return await migrations.applied(conn)


ALL = [name for name, _ in migrations.MIGRATIONS]


async def test_an_empty_database_is_migrated_once(blank: Settings) -> None:
    async with connect(blank) as db:
        assert await names(db) == ALL
    async with connect(blank) as db:
        assert await names(db) == ALL


async def test_many_at_once_migrate_once(blank: Settings) -> None:
    opened = await asyncio.gather(*(connect(blank) for _ in range(5)))
    assert [await names(db) for db in opened] == [ALL] * 5
    await asyncio.gather(*(db.close() for db in opened))


async def test_migrates_from_the_previous_version_and_keeps_its_rows(blank: Settings) -> None:
    assert blank.database_url is not None
    async with await psycopg.AsyncConnection.connect(blank.database_url, autocommit=True) as conn:
        assert await migrations.migrate(conn, [("m001_initial", m001_initial.apply)]) == ["m001_initial"]
        await conn.execute("INSERT INTO runs (run_id, question, status, record) VALUES ('r1', 'q', 'completed', '{}')")
    async with connect(blank) as db:
        assert await names(db) == ALL
        async with db.transaction() as conn:
            cursor = await conn.execute("SELECT run_id, event_count FROM runs")
            assert await cursor.fetchall() == [("r1", 0)]
            cursor = await conn.execute("SELECT count(*) FROM run_events")
            assert await cursor.fetchone() == (0,)


async def test_a_corpus_made_before_contexts_keeps_its_vectors(blank: Settings) -> None:
    assert blank.database_url is not None
    before = [step for step in migrations.MIGRATIONS if step[0] < "m003"]
    key = text_hash("We moved the kiln.")
    async with await psycopg.AsyncConnection.connect(blank.database_url, autocommit=True) as conn:
        await conn.execute("CREATE EXTENSION vector")
        await migrations.migrate(conn, before)
        for statement in (
            "INSERT INTO embedders (name, revision, dims) VALUES ('toy', 'r1', 3)",
            "INSERT INTO corpora (name, embedder_spec, embedder_id) VALUES ('talks', 'toy:3', 1)",
            "INSERT INTO documents (corpus_id, document_id, title, record, source, content_hash, chunks_hash)"
            " VALUES (1, 'a', 'A', '{}', 'a.vtt', 'x', 'x')",
            "INSERT INTO chunks (corpus_id, chunk_id, document_id, ordinal, text, lines, speakers, text_hash)"
            f" VALUES (1, 'a:00000', 'a', 0, 'We moved the kiln.', '{{}}', '{{}}', '{key}'),"
            " (1, 'a:00030', 'a', 1, 'Then what?', '{}', '{}', 'other')",
            'CREATE TABLE embedding_1 (text_hash text COLLATE "C" PRIMARY KEY, embedding vector(3) NOT NULL)',
            f"INSERT INTO embedding_1 VALUES ('{key}', '[1,0,0]')",
        ):
            await conn.execute(statement)
    async with connect(blank) as db:
        corpus = await corpora.get(db, "talks")
        assert corpus.context == ()
        ids, vectors = await embeddings.matrix(db, corpus)
        assert (ids, vectors.tolist()) == (["a:00000"], [[1.0, 0.0, 0.0]])
        assert await embeddings.pending(db, corpus, 9) == [("other", "Then what?")]


async def test_a_failing_migration_leaves_nothing(blank: Settings) -> None:
    async def bad(connection: psycopg.AsyncConnection) -> None:
        await connection.execute("CREATE TABLE half (id int)")
        raise RuntimeError("bad")

    assert blank.database_url is not None
    async with await psycopg.AsyncConnection.connect(blank.database_url, autocommit=True) as conn:
        with pytest.raises(RuntimeError):
            await migrations.migrate(conn, [("m001_initial", m001_initial.apply), ("m002_bad", bad)])
        assert await migrations.applied(conn) == ["m001_initial"]
        cursor = await conn.execute("SELECT to_regclass('half')")
        assert await cursor.fetchone() == (None,)
    async with connect(blank) as db:
        assert await names(db) == ALL


async def test_a_newer_database_is_refused(blank: Settings) -> None:
    async with connect(blank) as db, db.transaction() as conn:
        await conn.execute("INSERT INTO schema_migrations (name) VALUES ('m999_future')")
    with pytest.raises(MismatchError, match=r"newer answertrail.*m999_future"):
        await connect(blank)


async def test_a_transaction_is_kept_or_undone(database: Database) -> None:
    async with database.transaction() as conn:
        await conn.execute("INSERT INTO texts VALUES ('h1', 'a')")

    async def insert_and_fail() -> None:
        async with database.transaction() as conn:
            await conn.execute("INSERT INTO texts VALUES ('h2', 'b')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await insert_and_fail()
    async with database.reading() as conn:
        cursor = await conn.execute("SELECT text_hash FROM texts")
        assert await cursor.fetchall() == [("h1",)]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        async with database.reading() as conn:
            await conn.execute("DELETE FROM texts")


async def test_more_tasks_than_connections(database: Database) -> None:
    async def one() -> None:
        async with database.transaction() as conn:
            await conn.execute("SELECT pg_sleep(0.02)")

    await asyncio.gather(*(one() for _ in range(40)))


async def test_closing_twice(settings: Settings) -> None:
    db = await connect(settings)
    await db.close()
    await db.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://someone:sesame@127.0.0.1:1/db",
        "postgresql://someone:sesame@no-such-host.invalid/db",
        "postgresql://someone:sesame@/db?host=/no/such/folder",
        "not an address with sesame",
        "postgresql://someone:sesame%zz@localhost/db",
        "postgresql://someone:sesame@127.0.0.1:port/db",
    ],
)
async def test_unreachable_or_unreadable_addresses(settings: Settings, url: str) -> None:
    with pytest.raises(ServiceError) as caught:
        await connect(replace(settings, database_url=url))
    error = caught.value
    assert error.exit_code == 3
    assert error.where
    assert error.hint
    assert "sesame" not in str(error)


async def test_a_database_that_does_not_exist(settings: Settings, store_server: server.Server) -> None:
    with pytest.raises(ServiceError, match="does not exist"):
        await connect(replace(settings, database_url=store_server.conninfo("nowhere")))


async def test_a_wrong_password_is_no_secret_in_the_message() -> None:
    # The embedded server trusts its socket, so the refusal is libpq's text.
    error = psycopg.OperationalError(
        'connection failed: connection to server at "127.0.0.1", port 5432 failed: FATAL:  '
        'password authentication failed for user "someone"\nMultiple connection attempts failed.'
    )
    assert first_line(error).endswith('password authentication failed for user "someone"')
    assert describe("postgresql://someone:sesame@db.example:5433/talks") == "db.example:5433/talks"


async def test_a_lost_connection_is_a_service_error_and_the_next_use_works(database: Database) -> None:
    with pytest.raises(ServiceError):
        async with database.transaction() as conn:
            await conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    async with database.transaction() as conn:
        await conn.execute("SELECT 1")


async def test_no_pgvector_for_an_ordinary_user(blank: Settings, store_server: server.Server) -> None:
    with psycopg.connect(store_server.conninfo("blank"), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS plain")
        connection.execute("CREATE ROLE plain LOGIN")
    url = psycopg.conninfo.make_conninfo(blank.database_url or "", user="plain")
    with pytest.raises(ServiceError, match="pgvector") as caught:
        await connect(replace(blank, database_url=url))
    assert caught.value.hint is not None
    assert "CREATE EXTENSION vector" in caught.value.hint
