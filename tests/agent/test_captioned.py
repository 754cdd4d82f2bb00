"""An answer may quote a mended chunk as it is shown or as it was captioned, and its run holds later by both."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import pytest_asyncio

from answertrail.agent.arguments import SubmitArguments
from answertrail.agent.ask import Ask
from answertrail.agent.citations import check_answer
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import CheckSettings, load
from answertrail.agent.sealed import seal
from answertrail.agent.support import LexicalSupport, SupportVerdict
from answertrail.agent.verify import faults_of, unchecked
from answertrail.corpus.cleaning import clean_pending
from answertrail.corpus.cleaning.glossary import Term, glossary_of
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.records import Run
from answertrail.records.jsonl import dumps, parse_line
from answertrail.search import load as loading
from answertrail.search.engines.serving import index_corpus
from answertrail.search.hits import ChunkRow
from answertrail.search.load import open_corpus
from answertrail.store import corpora, embeddings
from tests.agent.seasons import TWO_STEP, stance, table
from tests.agent.world import MemoryStore, ready, says, search, submit
from tests.corpus.cleaning.worlds import mending, put, talk
from tests.search.worlds import TinyEmbedder

ALL_REJECT = CheckSettings(exists="reject", retrieved="reject", in_bounds="reject", cited="reject", supported="reject")
HEARD = "in nineteen twenty four cube net ease ran on forty machines"
MENDED = "in 2024 Kubernetes ran on 14 machines"
TERMS = (("nineteen twenty four", "2024"), ("cube net ease", "Kubernetes"), ("forty", "14"))
AS_CAPTIONED = "In 1924 cube net ease ran on 40 machines."
AS_SHOWN = "In 2024 Kubernetes ran on 14 machines."
MIXED = "In 2024 Kubernetes ran on 40 machines."
OTHER = "The river rose in spring."
CHUNK, PLAIN = "a:00000", "a:00030"


def row(chunk: str, text: str) -> ChunkRow:
    return ChunkRow(
        id=chunk, document_id="a", title="A talk", published_at=datetime(2025, 1, 10, tzinfo=UTC), url=None,
        language="en", duration_s=95.0, start_s=float(chunk[2:]), end_s=float(chunk[2:]) + 30, text=text,
    )  # fmt: skip


CHUNKS = {one.id: one for one in (row(CHUNK, MENDED), row(PLAIN, "we left the machines in the barn"))}


def checked(*statements, chunks=CHUNKS, raw=None, judge=None):
    listed = [
        {"text": text, "citations": list(cited), "kind": "claim" if cited else "framing"} for text, cited in statements
    ]
    answer = SubmitArguments.model_validate({"outcome": "answered", "statements": listed, "not_found": []})
    return check_answer(
        answer, asked=["What ran?"], chunks=chunks, retrieved=frozenset(chunks), settings=ALL_REJECT,
        judge=judge or LexicalSupport(), raw={CHUNK: HEARD} if raw is None else raw,
    )  # fmt: skip


class Counting:
    def __init__(self):
        self.asked = []

    def judge(self, statement, texts):
        self.asked.append(list(texts))
        return LexicalSupport().judge(statement, texts)


@pytest.mark.parametrize(("text", "verdict"), [(AS_SHOWN, "HIT"), (AS_CAPTIONED, "HIT"), (MIXED, "MISS")])
def test_a_statement_holds_of_the_words_shown_or_of_those_captioned_and_not_of_a_mixture(text, verdict):
    found = checked((text, [CHUNK]))
    assert found.support == (verdict,)
    assert bool(found.rejections) == (verdict == "MISS")


def test_the_reason_says_by_which_words_and_what_is_missing_is_told_of_those_that_were_shown():
    reasons = [
        next(check.reason for check in checked((text, [CHUNK])).checks if check.check == "supported")
        for text in (AS_SHOWN, AS_CAPTIONED, MIXED)
    ]
    assert reasons == [
        "3 of 3 content words occur in the cited text",
        "by the words as captioned: 5 of 5 content words occur in the cited text",
        "statement 1: the cited text does not have 40",
    ]


def test_without_words_as_captioned_the_same_statement_fails():
    assert checked((AS_CAPTIONED, [CHUNK]), raw={}).support == ("MISS",)
    assert checked((AS_CAPTIONED, [PLAIN])).support == ("MISS",)


def test_a_chunk_that_was_not_mended_is_read_beside_the_captioned_one():
    both = "In 1924 cube net ease ran on 40 machines that we left in the barn."
    assert checked((both, [CHUNK, PLAIN])).support == ("HIT",)


def test_the_judge_is_asked_again_only_where_it_matters_and_never_of_both():
    judge = Counting()
    checked((AS_SHOWN, [CHUNK]), (MIXED, [PLAIN]), judge=judge)
    assert len(judge.asked) == 2
    judge = Counting()
    checked((MIXED, [CHUNK, PLAIN]), judge=judge)
    shown, captioned = judge.asked
    assert [MENDED in text for text in shown] == [True, False]
    assert [HEARD in text for text in captioned] == [True, False]
    assert not any(MENDED in text for text in captioned)
    assert captioned[1] == shown[1]


def test_what_cannot_be_scored_as_shown_may_hold_as_captioned():
    class Torn:
        def judge(self, statement, texts):
            return SupportVerdict("HIT" if HEARD in texts[0] else "UNSCORED", "so it is")

    assert checked((AS_CAPTIONED, [CHUNK]), judge=Torn()).support == ("HIT",)
    assert checked((AS_CAPTIONED, [CHUNK]), judge=Torn(), raw={}).support == ("UNSCORED",)


def test_framing_may_say_what_the_cited_chunk_says_as_shown_or_as_captioned():
    claim = (AS_SHOWN, [CHUNK])
    for text, sound in (("14 Kubernetes machines:", True), ("40 machines of cube net ease:", True)):
        assert (not checked(claim, (text, [])).rejections) == sound, text
    (reason,) = checked(claim, ("In 2024 there were 40 machines:", [])).rejections
    assert reason == "statement 2: framing states the number 40; make it a claim and cite it"
    assert checked(claim, ("40 machines of cube net ease:", []), raw={}).rejections


def test_an_address_that_was_spoken_is_no_source_in_either_wording():
    chunks = {CHUNK: row(CHUNK, "see kiln.com for the machines")}
    raw = {CHUNK: "see kill.com for the machines"}

    def faults(text):
        found = checked((text, [CHUNK]), chunks=chunks, raw=raw)
        return [check.citation for check in found.checks if check.check == "exists" and not check.passed]

    assert faults("See kiln.com for the machines.") == []
    assert faults("See kill.com for the machines.") == []
    assert faults("See kiln.com or kill.com for the machines.") == ["kill.com"]
    assert faults("See bill.com for the machines.") == ["bill.com"]


# --- over a real corpus, cleaned by a scripted model ---------------------------------------------


class World:
    """A corpus of two talks of another year each, and what asks it."""

    def __init__(self, db, settings, embedder):
        self.db, self.settings, self.embedder = db, settings, embedder

    async def ingest(self):
        corpus = await corpora.create(self.db, "talks", "tiny", self.embedder.identity)
        await put(self.db, corpus, talk("a", HEARD, OTHER, published_at="2023-06-14"))
        await put(self.db, corpus, talk("b", "their machines are gone by now", published_at="2025-06-14"))
        await self.embed(corpus)

    async def clean(self, *pairs, name="scripted:mender"):
        corpus = await corpora.get(self.db, "talks")
        glossary = glossary_of([(f"g:{n}", Term(*pair)) for n, pair in enumerate(pairs)])
        report = await clean_pending(self.db, corpus, mending(*pairs, name=name), glossary)
        await self.embed(corpus)
        return report

    async def embed(self, corpus):
        missing = await embeddings.pending(self.db, corpus, 100)
        if missing:
            vectors = await self.embedder.embed([text for _, text in missing], "passage")
            async with self.db.transaction() as conn:
                await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing], vectors)

    async def open(self):
        return await open_corpus(self.db, self.settings, "talks")

    async def ask(self, *steps, corpus=None, recipe=None, question="What ran on how many machines?"):
        explored = [says(search("machines that ran", k=5)), says(search("river in spring", k=5)), says(ready())]
        request = Ask(question, recipe or load("default"), ScriptedModel([*explored, *map(says, steps)]),
                      corpus or await self.open())  # fmt: skip
        run = await run_agent(request, MemoryStore())
        assert run.status == "completed", run.error
        return parse_line(Run, dumps(run), where="f:1")


@pytest_asyncio.fixture
async def world(database, settings, monkeypatch):
    tiny = TinyEmbedder(8)
    monkeypatch.setattr(loading, "load_embedder", lambda _: tiny)
    made = World(database, settings, tiny)
    await made.ingest()
    return made


def kinds(run, **meta):
    """The kinds of faults of a run, with other values in its meta and a new seal."""
    changed = {key: value for key, value in {**run.meta, **meta}.items() if value is not None}
    return sorted({fault.kind for fault in faults_of(seal(run.model_copy(update={"meta": changed})))})


def support(run):
    return [statement.support for statement in run.answer.statements]


ANSWER = submit("answered", (AS_SHOWN, [CHUNK]), (AS_CAPTIONED, [CHUNK]), (MIXED, [CHUNK]), (OTHER, [PLAIN]))


@pytest.mark.asyncio
async def test_an_answer_is_judged_by_both_wordings_and_its_run_carries_what_was_captioned(world):
    report = await world.clean(*TERMS)
    assert (report.changed, report.refused) == (1, 0)
    run = await world.ask(ANSWER)
    assert next(chunk.text for chunk in run.chunks if chunk.id == CHUNK) == MENDED
    assert support(run) == ["HIT", "HIT", "MISS", "HIT"]
    assert run.meta["captioned"] == {CHUNK: HEARD}
    assert list(faults_of(run)) == []


@pytest.mark.asyncio
async def test_the_run_holds_after_another_cleaning_and_so_does_one_that_was_under_way(world):
    await world.clean(*TERMS)
    opened = await world.open()
    run = await world.ask(ANSWER)
    await world.clean(("forty", "400"), name="scripted:other")
    assert list(faults_of(run)) == []
    # The snapshot that was open shows words that the database has no record of by now.
    late = await world.ask(ANSWER, corpus=opened)
    assert support(late) == ["HIT", "MISS", "MISS", "HIT"]
    assert "captioned" not in late.meta
    assert list(faults_of(late)) == []


@pytest.mark.asyncio
async def test_a_corpus_served_by_an_engine_tells_the_same(world):
    await world.clean(*TERMS)
    await index_corpus(world.db, world.settings, await corpora.get(world.db, "talks"), "hnsw")
    opened = await world.open()
    run = await world.ask(ANSWER, corpus=opened)
    assert opened.note is None
    assert (support(run), run.meta["captioned"]) == (["HIT", "HIT", "MISS", "HIT"], {CHUNK: HEARD})


@pytest.mark.asyncio
async def test_a_corpus_that_was_never_cleaned_leaves_no_trace(world):
    run = await world.ask(submit("answered", (AS_CAPTIONED, [CHUNK])))
    assert support(run) == ["HIT"]
    assert "captioned" not in run.meta
    assert list(faults_of(run)) == []


@pytest.mark.asyncio
async def test_only_what_the_answer_that_passed_cites_is_carried(world):
    await world.clean(*TERMS, ("their", "there"))
    run = await world.ask(
        submit("answered", ("Nothing is cited.", [])), submit("answered", (AS_SHOWN, [CHUNK]), ("x y", ["b:00000z"])),
        submit("answered", ("The river rose.", [PLAIN])),
    )  # fmt: skip
    assert len(run.meta["rejected_answers"]) == 2
    assert "captioned" not in run.meta


@pytest.mark.asyncio
async def test_what_was_changed_in_the_words_as_captioned_is_told(world):
    await world.clean(*TERMS)
    run = await world.ask(ANSWER)
    held = run.meta["captioned"]
    assert kinds(run) == []
    # A run of before carries none, and nothing then speaks for what was quoted as captioned.
    assert kinds(run, captioned=None) == ["support"]
    assert kinds(run, captioned={CHUNK: "cube net ease ran away"}) == ["support"]
    assert kinds(run, captioned={**held, "b:00000": "their machines"}) == ["captioned"]
    for unreadable in ([], "x", {CHUNK: 1}, {CHUNK: None}):
        assert "captioned" in kinds(run, captioned=unreadable)
    unsealed = run.model_copy(update={"meta": {**run.meta, "captioned": {CHUNK: HEARD + " and more"}}})
    assert [fault.kind for fault in faults_of(unsealed)] == ["record_hash"]


@pytest.mark.asyncio
async def test_without_the_seal_nothing_speaks_for_the_words_as_captioned(world):
    await world.clean(*TERMS)
    run = await world.ask(ANSWER)

    def left(**meta):
        changed = {key: value for key, value in {**run.meta, **meta}.items() if value is not None}
        return [name for name in unchecked(run.model_copy(update={"meta": changed})) if name != "usage"]

    assert left() == []
    assert left(record_hash=None) == ["record_hash", "captioned"]
    assert left(record_hash=None, captioned=None) == ["record_hash"]


@pytest.mark.asyncio
async def test_a_row_of_a_dated_table_may_quote_the_words_as_captioned_too(world):
    await world.clean(*TERMS)
    rows = table(stance("2023-06", AS_CAPTIONED, CHUNK), stance("2025-06", "The machines are gone.", "b:00000"))
    answer = submit("answered", ("The machines are gone by now.", ["b:00000"]))
    run = await world.ask(rows, answer, recipe=TWO_STEP, question="How did the machines change over time?")
    assert [entry["support"] for entry in run.meta["timeline"]["rows"]] == ["HIT", "HIT"]
    # The table cites it, the answer does not.
    assert run.meta["captioned"] == {CHUNK: HEARD}
    assert kinds(run) == []
    assert kinds(run, captioned=None) == ["timeline"]
