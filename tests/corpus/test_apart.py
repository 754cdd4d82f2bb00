"""Ingests apart that meet: each is told what became of its words, and none loses them unsaid."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from answertrail.corpus import apart
from answertrail.corpus.apart import ingest_apart
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.publish import abandon, begin_apart
from answertrail.errors import InputError, MismatchError
from answertrail.store import corpora, documents, turns

pytestmark = pytest.mark.asyncio

_TEXTS = {
    "kiln": "The kiln was moved to the barn on Monday.",
    "tractor": "A tractor was sold in the autumn of that year.",
    "bread": "Bread was baked on every Sunday.",
    "comet": "Nobody saw the comet that winter.",
}


@pytest.fixture
def asked(tmp_path):
    """Requests to bring one of the texts into the corpus `talks`."""
    for name, text in _TEXTS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(text)
    return {name: IngestRequest("talks", [tmp_path / name], embedder="fast") for name in _TEXTS}


@pytest_asyncio.fixture
async def live(database, settings, asked):
    await ingest(database, asked["kiln"], settings=settings)
    return await corpora.get(database, "talks")


async def held(database) -> dict[str, set[str]]:
    return {
        corpus.name: set(await documents.document_ids(database, corpus)) for corpus in await corpora.list_all(database)
    }


async def waiting(database, count: int) -> None:
    """Return when so many ingests have ended but for publishing, which is another's turn."""
    query = (
        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
        " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock'"
        " AND NOT l.granted"
    )
    for _ in range(600):
        async with database.transaction() as conn:
            row = await (await conn.execute(query)).fetchone()
        if row == (count,):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{count} ingests never came to wait")


@asynccontextmanager
async def built(database, settings, *requests):
    """Ingests apart that have built all they were asked and wait for one more, which ends with the block."""
    async with turns.building(database, "talks"):
        tasks = [asyncio.create_task(ingest_apart(database, request, settings=settings)) for request in requests]
        await waiting(database, len(requests))
        yield tasks


async def test_one_whose_copy_was_abandoned_while_it_waited_says_so(database, settings, asked, live):
    before = await corpora.snapshot(database, live)
    async with built(database, settings, asked["tractor"]) as [one]:
        assert await abandon(database, "talks")
    with pytest.raises(MismatchError, match="what was built was dropped") as raised:
        await one
    assert raised.value.hint == "ingest with --apart again"
    assert await corpora.snapshot(database, live) == before
    assert await held(database) == {"talks": {"kiln"}}
    _, published = await ingest_apart(database, asked["tractor"], settings=settings)
    assert published is not None
    assert (await held(database))["talks"] == {"kiln", "tractor"}


async def test_one_whose_copy_was_deleted_while_it_looked_for_files_makes_none_without_the_rest(
    database, settings, asked, live, monkeypatch
):
    real = apart.ingest

    async def raced(db, request, *rest):
        await abandon(db, "talks")
        return await real(db, request, *rest)

    monkeypatch.setattr(apart, "ingest", raced)
    with pytest.raises(MismatchError, match="what was built was dropped"):
        await ingest_apart(database, asked["tractor"], settings=settings)
    assert await held(database) == {"talks": {"kiln"}}


async def test_an_outdated_copy_is_not_begun_anew_under_one_that_waits_to_publish_it(database, settings, asked, live):
    async with built(database, settings, asked["tractor"]) as [one]:
        await ingest(database, asked["bread"], settings=settings)
        with pytest.raises(InputError, match="another ingest apart is at this copy, which is out of date"):
            await begin_apart(database, "talks")
    with pytest.raises(MismatchError, match="would lose the change"):
        await one
    # Nobody is at it any longer, at once.
    _, published = await ingest_apart(database, asked["tractor"], settings=settings)
    assert published is not None
    assert published.changed
    assert (await held(database))["talks"] == {"kiln", "bread", "tractor"}


async def test_an_outdated_copy_is_begun_anew_when_the_one_that_was_at_it_died(database, settings, asked, live):
    async with built(database, settings, asked["tractor"]) as [one]:
        await ingest(database, asked["bread"], settings=settings)
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        anew = await begin_apart(database, "talks")
        assert (await held(database))[anew] == {"kiln", "bread"}


async def test_several_that_changed_something_are_all_told_that_it_was_published(database, settings, asked, live):
    former = await corpora.snapshot(database, live)
    names = ("tractor", "bread", "comet")
    async with built(database, settings, *(asked[name] for name in names)) as tasks:
        pass
    outcomes = [published for _, published in await asyncio.gather(*tasks)]
    now = await corpora.snapshot(database, await corpora.get(database, "talks"))
    assert [(outcome.snapshot, outcome.changed) for outcome in outcomes] == [(now, True)] * 3
    [kept] = [outcome.kept for outcome in outcomes if outcome.kept is not None]
    assert kept == f"talks@{former[7:19]}"
    assert await held(database) == {"talks": {"kiln", *names}, kept: {"kiln"}}


async def test_several_that_changed_nothing_are_all_told_so_and_leave_no_copy(database, settings, asked, live):
    async with built(database, settings, *[asked["kiln"]] * 3) as tasks:
        pass
    outcomes = [published for _, published in await asyncio.gather(*tasks)]
    now = await corpora.snapshot(database, live)
    assert [(outcome.snapshot, outcome.changed, outcome.kept) for outcome in outcomes] == [(now, False, None)] * 3
    assert await held(database) == {"talks": {"kiln"}}
    assert (await corpora.get(database, "talks")).id == live.id


async def test_a_new_corpus_built_by_several_is_published_once(database, settings, asked):
    async with built(database, settings, asked["tractor"], asked["bread"]) as tasks:
        pass
    outcomes = [published for _, published in await asyncio.gather(*tasks)]
    assert len({outcome.snapshot for outcome in outcomes}) == 1
    assert await held(database) == {"talks": {"tractor", "bread"}}


async def test_a_new_corpus_that_was_abandoned_while_one_waited_is_said_to_be(database, settings, asked):
    async with built(database, settings, asked["tractor"]) as [one]:
        assert await abandon(database, "talks")
    with pytest.raises(MismatchError, match="what was built was dropped"):
        await one
    assert await held(database) == {}


async def test_what_a_stopped_ingest_left_is_not_published_by_one_of_other_sources(database, settings, live, asked):
    following = await begin_apart(database, "talks")
    await ingest(database, replace(asked["comet"], corpus=following), settings=settings)  # and there it was killed
    with pytest.raises(MismatchError, match=r"left 1 documents of other sources, .*comet\.txt") as refused:
        await ingest_apart(database, asked["bread"], settings=settings)
    assert following in (refused.value.hint or "")
    assert (await held(database))["talks"] == {"kiln"}
    # The same sources go on with it.
    both = replace(asked["comet"], sources=[*asked["comet"].sources, *asked["bread"].sources])
    report, published = await ingest_apart(database, both, settings=settings)
    assert published is not None
    assert (await held(database))["talks"] == {"kiln", "comet", "bread"}
    assert (
        report.snapshot == published.snapshot == await corpora.snapshot(database, await corpora.get(database, "talks"))
    )


async def test_of_two_that_build_one_state_each_names_the_snapshot_that_was_published(database, settings, live, asked):
    done = await asyncio.gather(
        *(ingest_apart(database, asked[name], settings=settings) for name in ("bread", "comet"))
    )
    now = await corpora.snapshot(database, await corpora.get(database, "talks"))
    assert [report.snapshot for report, _ in done] == [now, now]
    assert [published is not None and published.changed for _, published in done] == [True, True]


async def test_the_same_sources_named_in_another_way_go_on(database, settings, live, asked, monkeypatch, tmp_path):
    following = await begin_apart(database, "talks")
    await ingest(database, replace(asked["comet"], corpus=following), settings=settings)
    monkeypatch.chdir(tmp_path / "bread")
    await ingest_apart(database, replace(asked["comet"], sources=[Path("../comet")]), settings=settings)
    assert (await held(database))["talks"] == {"kiln", "comet"}


async def test_two_that_did_not_end_go_on_together_and_not_each_alone(database, settings, live, asked):
    following = await begin_apart(database, "talks")
    for name in ("comet", "bread"):
        await ingest(database, replace(asked[name], corpus=following), settings=settings)
    for name in ("comet", "bread"):
        with pytest.raises(MismatchError, match="did not end"):
            await ingest_apart(database, asked[name], settings=settings)
    both = replace(asked["comet"], sources=[*asked["comet"].sources, *asked["bread"].sources])
    await ingest_apart(database, both, settings=settings)
    assert (await held(database))["talks"] == {"kiln", "comet", "bread"}


async def test_several_that_begin_at_once_are_each_held_to_what_was_left(database, settings, live, asked):
    following = await begin_apart(database, "talks")
    await ingest(database, replace(asked["comet"], corpus=following), settings=settings)
    at_once = (ingest_apart(database, asked["bread"], settings=settings) for _ in range(4))
    done = await asyncio.gather(*at_once, return_exceptions=True)
    assert [type(one) for one in done] == [MismatchError] * 4
    assert (await held(database))["talks"] == {"kiln"}
