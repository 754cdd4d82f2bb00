"""A corpus built apart: it is answered from as it was until its successor is complete and takes its name.

`begin_apart` copies it beside itself, an ingest writes to the copy, `publish` puts the copy in its
place in one transaction. What was there before is kept under `NAME@SNAPSHOT` until it is deleted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.store import claims, copies, corpora, embeddings, names, search_indexes, turns
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the name. `kept` is the former corpus's new name, None when there was none or nothing changed.

    `unindexed` is the engine the corpus is set to be searched with and has no index of.
    """

    corpus: str
    snapshot: str
    changed: bool
    kept: str | None
    unindexed: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain values; `unindexed` only where it is so."""
        held = {"snapshot": self.snapshot, "corpus": self.corpus, "changed": self.changed, "kept": self.kept}
        return held | ({"unindexed": self.unindexed} if self.unindexed else {})


async def begin_apart(db: Database, name: str) -> str:
    """Return the name of the corpus to write to in place of `name`: a copy of it as it is now.

    One that was begun and not published is taken up again, as long as the live corpus is what it
    was copied from; else it is deleted and begun anew, with the transcripts and the replies of the
    cleaning model that the former got. Where there is no live corpus the name is free, and the
    ingest makes the corpus. Raises InputError for a name that users cannot give, and
    when workers or other ingests apart are at a copy that is out of date.
    """
    names.check_name(name)
    live = await _live(db, name)
    revision = None if live is None else await corpora.revision(db, live)
    for begun in await _begun(db, name):
        if names.begun_at(begun.name) == (name, revision):
            return begun.name
        await _need_idle(db, begun)
        await _drop(db, live, begun, left=True)
    if live is None:
        return names.next_name(name, None)
    async with db.transaction() as conn:
        await copies.one_state(conn)
        following = names.next_name(name, await _revision_in(conn, live))
        try:
            async with conn.transaction():
                await copies.copy_in(conn, live, following)
        except InputError:
            pass  # another process made it meanwhile
    return following


async def publish(db: Database, name: str) -> Published:
    """Put what was built apart in place of the corpus `name`, in one transaction.

    Where both hold the same, the live corpus stays and only takes over what is known of sources; the
    copy is deleted, unless another ingest waits for its turn to publish it and will find it the same.
    Raises NotFoundError when nothing was built apart, InputError while workers are at it or texts
    lack a vector, and MismatchError when the live corpus changed since: its changes would be lost.
    """
    live = await _live(db, name)
    begun = await _begun(db, name)
    if not begun:
        raise NotFoundError("nothing was built apart", where=name, hint="`answertrail ingest --apart` does")
    following = begun[-1]
    for corpus in (following, live):
        if corpus is not None:
            await _need_idle(db, corpus)
    if left := await embeddings.pending_count(db, following):
        raise InputError(
            f"{left} texts of what was built apart have no vector yet",
            where=name,
            hint="ingest with --apart again: it goes on where it stopped",
        )
    await corpora.snapshot(db, following)  # kept, so that the transaction is short
    if live is not None:
        await corpora.snapshot(db, live)
    async with db.transaction() as conn:
        await _take(conn, live, following)
        snapshot = await corpora.snapshot_in(conn, following)
        kept = None
        if live is None:
            await copies.rename_in(conn, following, name)
        else:
            await copies.carry_paid_in(conn, live, following)  # a cleaning may have been cut short meanwhile
            former = await corpora.snapshot_in(conn, live)
            if snapshot == former and await copies.same_content_in(conn, live, following):
                await copies.take_books_in(conn, live, following)
                if await turns.is_left(conn, following.name):
                    await corpora.delete_in(conn, following)
                return Published(name, snapshot, changed=False, kept=None)
            kept = await _free_name(conn, names.kept_name(name, former))
            await copies.swap_in(conn, live, following, kept)
    return Published(name, snapshot, changed=True, kept=kept, unindexed=await _unindexed(db, following))


async def abandon(db: Database, name: str) -> bool:
    """Delete what was built apart of a corpus and not published; return whether there was any.

    The transcripts and the replies of the cleaning model that it got stay with the live corpus.
    """
    live, begun = await _live(db, name), await _begun(db, name)
    for corpus in begun:
        await _drop(db, live, corpus)
    return bool(begun)


async def _drop(db: Database, live: Corpus | None, begun: Corpus, *, left: bool = False) -> None:
    """Delete what was built apart; what was paid for goes to the live corpus where there is one.

    `left`: only if no ingest relies on it; else InputError.
    """
    async with db.transaction() as conn:
        try:
            await _lock(conn, live, begun)
        except NotFoundError as error:
            if error.where == begun.name:
                return  # another process dropped it meanwhile
            raise
        if left and not await turns.is_left(conn, begun.name):
            raise InputError(
                "another ingest apart is at this copy, which is out of date",
                where=begun.name,
                hint="wait until it has ended",
            )
        if live is not None:
            await copies.carry_paid_in(conn, begun, live)
        await corpora.delete_in(conn, begun)


async def _live(db: Database, name: str) -> Corpus | None:
    return next((corpus for corpus in await corpora.list_all(db) if corpus.name == name), None)


async def _begun(db: Database, name: str) -> list[Corpus]:
    """Return what is being made of a corpus, the latest begun last."""
    found = [corpus for corpus in await corpora.list_all(db) if (names.begun_at(corpus.name) or ("",))[0] == name]
    return sorted(found, key=lambda corpus: corpus.id)


async def _need_idle(db: Database, corpus: Corpus) -> None:
    async with db.transaction() as conn:
        cursor = await conn.execute("SELECT DISTINCT stage FROM claims WHERE corpus_id = %s", (corpus.id,))
        stages = [stage for (stage,) in await cursor.fetchall()]
    for stage in stages:
        if held := await claims.held_by_others(db, corpus, stage, worker=""):
            raise InputError(
                f"workers have {len(held)} items in hand (stage {stage})",
                where=corpus.name,
                hint="wait until they have ended",
            )


async def _take(conn: Connection, live: Corpus | None, following: Corpus) -> None:
    """Lock both for this transaction, and check that nothing came between."""
    await _lock(conn, live, following)
    begun = names.begun_at(following.name)
    revision = None if live is None else await _revision_in(conn, live)
    if begun is not None and live is None and begun[1] is not None:
        raise NotFoundError(
            "the corpus was deleted after the copy was begun",
            where=begun[0],
            hint=f"`answertrail corpus delete {following.name}` deletes what was built; "
            "ingesting with --apart again begins anew",
        )
    if begun is not None and begun[1] != revision:
        raise MismatchError(
            "the corpus changed after the copy was begun, and publishing the copy would lose the change",
            where=begun[0],
            hint="ingest with --apart again: a new copy is begun from what the corpus is now",
        )


async def _lock(conn: Connection, live: Corpus | None, begun: Corpus) -> None:
    """Lock both for this transaction, always in the same order."""
    for corpus in sorted((one for one in (live, begun) if one is not None), key=lambda one: one.id):
        await corpora.lock(conn, corpus)


async def _revision_in(conn: Connection, corpus: Corpus) -> int:
    cursor = await conn.execute("SELECT revision FROM corpora WHERE id = %s", (corpus.id,))
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    return int(row[0])


async def _free_name(conn: Connection, wanted: str) -> str:
    """Return the name, or where a former state with this very snapshot is kept already, one with a number."""
    cursor = await conn.execute("SELECT name FROM corpora WHERE starts_with(name, %s)", (wanted,))
    taken = {name for (name,) in await cursor.fetchall()}
    numbered = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)


async def _unindexed(db: Database, corpus: Corpus) -> str | None:
    engine = await search_indexes.engine_of(db, corpus)
    return engine if engine != "exact" and await search_indexes.find(db, corpus, engine) is None else None
