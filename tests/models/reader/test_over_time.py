"""How the reader plans its searches: all wordings as one, on from what it found, wider, and over the periods."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from answertrail.models.chat.base import AssistantMessage, ChatRequest, ToolMessage, ToolSpec, UserMessage
from answertrail.models.reader import Hit, Reader, SearchResult
from answertrail.models.reader.chat import ReaderModel
from answertrail.models.reader.dates import periods, span_asked
from answertrail.models.reader.over_time import rewordings
from answertrail.models.reader.plan import Search
from answertrail.models.reader.question import analyse
from answertrail.models.reader.settings import PLAN, PlanSettings
from answertrail.models.reader.text import content_stems
from answertrail.models.reader.topic import topic_query

QUESTION = "How has Ida Brook's opinion of the Mothlight rota changed over the years?"
SAID = [
    ("2019-05-14", "They call it the Mothlight rota: a brass bell off a bicycle, and whoever has the bell may train."),
    ("2019-11-26", "I have gone sour on our bit of brass; one chap hid the bell in a drawer under a scarf."),
    (
        "2020-10-20",
        "The old bicycle clanger sits in a shoebox since the credits came, and nobody waits for the drawer.",
    ),
    ("2023-06-13", "Out of the shoebox came our brass relic, polished, with a slip of paper inside for the credits."),
]
"""The name is said once only; what the thing is made of comes back."""


def corpus() -> list[Hit]:
    talk = "We went through the listeners' mail about models and data and what people wanted to hear of next."
    rows = [(f"said{n}", date, text) for n, (date, text) in enumerate(SAID)]
    rows += [(f"talk{n}", f"20{18 + n // 12}-{1 + n % 12:02d}-01", f"{talk} Part {n}.") for n in range(60)]
    return [Hit(f"{name}:00000", name, text, "", date, 0.0, 30.0) for name, date, text in rows]


def find(hits: Sequence[Hit], search: Search, seen: set[str]) -> SearchResult:
    """A toy search by shared stems, also those of the passages to be like; every chunk can be returned."""
    if search.tool == "around":
        return SearchResult("", ())
    liked = [hit.text for hit in hits if hit.id in search.like]
    terms = dict.fromkeys(content_stems(" ".join((search.query, *search.also))))
    wanted = {*terms, *content_stems(" ".join(liked))}
    inside = [h for h in hits if (search.date_from or "") <= (h.date or "") < (search.date_to or "9")]
    about = {h.id: set(content_stems(f"{h.text} {' '.join(h.speakers)}")) for h in hits}
    scored = [replace(h, score=len(wanted & about[h.id]) + 0.5) for h in inside if h.id not in seen]
    best = tuple(sorted(scored, key=lambda h: (-h.score, h.id))[: search.k or 10])
    seen.update(h.id for h in best)
    frequency = tuple((t, sum(t in stems for stems in about.values())) for t in terms)
    return SearchResult(search.query, best, len(inside), len(hits), 0, frequency, search.date_from, search.date_to)


ALL = ("dates", "also", "like", "spread", "meaning", "timeline", "around")


def explore(
    question: str, hits: Sequence[Hit], settings: PlanSettings = PLAN, offered: Sequence[str] = ALL
) -> tuple[list[str], list[Search]]:
    """The chunks in the order shown, and every search made."""
    reader, seen = Reader(settings=settings, offered=offered), set[str]()
    results: list[SearchResult] = []
    made: list[Search] = []
    for _ in range(15):
        searches = reader.next_action(question, results, phase="explore").searches
        if not searches:
            return [h.id for r in results for h in r.hits], made
        made += searches
        results += [find(hits, s, seen) for s in searches]
    raise AssertionError("the plan has no end")


def test_the_subject_is_what_is_left_without_words_of_change() -> None:
    assert topic_query(analyse(QUESTION)) == "Ida Brook's Mothlight rota"
    assert rewordings(analyse(QUESTION)) == (
        "Ida Brook's opinion Mothlight rota changed years",
        "Ida Brook's Mothlight rota",
    )


@pytest.mark.parametrize("question", ["", "Why?", "How did it?"])
def test_a_question_without_content_has_no_other_words(question: str) -> None:
    assert topic_query(analyse(question)) == question
    assert rewordings(analyse(question)) == ()


def test_all_wordings_are_one_search_and_the_next_goes_on_from_what_it_found() -> None:
    shown, made = explore(QUESTION, corpus())
    first, second = made[:2]
    assert (first.query, first.also, first.like, first.order) == (QUESTION, rewordings(analyse(QUESTION)), (), "spread")
    assert second.also == first.also
    assert second.like[0] == "said0:00000"
    assert set(second.like) <= set(shown[: first.k])
    assert {f"said{n}:00000" for n in range(4)} <= set(shown[:20])


def test_about_forty_chunks_come_before_the_periods() -> None:
    shown, made = explore(QUESTION, corpus())
    before = [search.tool for search in made].index("timeline")
    assert sum(search.k or 0 for search in made[:before]) == 40
    assert len(shown) == len(set(shown)) == 64


DATED = "How has the Mothlight rota changed from spring 2019 to late 2020?"


def test_each_time_named_is_looked_into_and_the_rest_asked_within_them() -> None:
    _, made = explore(DATED, corpus())
    assert [(s.date_from, s.date_to, s.k) for s in made[1:5]] == [
        ("2019-03-01", "2019-06-01", 3),
        ("2020-09-01", "2021-01-01", 3),
        ("2019-03-01", "2021-01-01", 20),
        ("2019-03-01", "2021-01-01", 10),
    ]
    assert all(s.date_from is None and s.date_to is None for s in made[5:])


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How did the rota change by the end of 2024?", (None, "2025-01-01")),
        ("How has the rota changed since 2019?", ("2019-01-01", None)),
        ("How did it change from 2020 to 2024?", ("2020-01-01", "2025-01-01")),
        ("How did it change?", (None, None)),
    ],
)
def test_one_time_alone_is_an_end_or_a_beginning(question: str, asked: tuple[str | None, str | None]) -> None:
    assert span_asked(question, periods(question)) == asked


@pytest.mark.parametrize("idea", [field.name for field in fields(PLAN)])
@pytest.mark.parametrize("question", [QUESTION, DATED, "How much did the brass bell cost?"])
def test_a_plan_ends_and_shows_nothing_twice_with_any_idea_switched(idea: str, question: str) -> None:
    shown, made = explore(question, corpus(), replace(PLAN, **{idea: not getattr(PLAN, idea)}))
    assert len(shown) == len(set(shown))
    assert len(made) <= 20
    assert all(0 < len(s.query) <= 1000 and 0 < (s.k or 10) <= 20 for s in made)


@pytest.mark.parametrize("missing", ALL)
@pytest.mark.parametrize("question", [QUESTION, DATED, "How much did the brass bell cost in 2019?"])
def test_nothing_is_sent_that_the_tools_do_not_take(missing: str, question: str) -> None:
    _, made = explore(question, corpus(), replace(PLAN, around=True, read_on=True), [n for n in ALL if n != missing])
    sent = {
        "dates": any(s.date_from or s.date_to for s in made),
        "also": any(s.also for s in made),
        "like": any(s.like for s in made),
        "spread": any(s.order == "spread" for s in made),
        "meaning": any(s.order == "meaning" for s in made),
        "timeline": any(s.tool == "timeline" for s in made),
        "around": any(s.tool == "around" for s in made),
    }
    assert not sent[missing]
    assert len(made) > 2


def test_a_search_that_fails_is_not_made_again() -> None:
    reader = Reader(offered=ALL)
    first = find(corpus(), Search(QUESTION, k=10), set())
    second = reader.next_action(QUESTION, [first], phase="explore").searches
    failed = [SearchResult(s.query, date_from=s.date_from, date_to=s.date_to) for s in second]
    third = reader.next_action(QUESTION, [first, *failed], phase="explore").searches
    assert third
    assert [s.k for s in third] != [s.k for s in second]


def test_of_a_fact_meaning_alone_is_asked_after_thirty_chunks_and_then_the_best_documents() -> None:
    _, made = explore("How much did the brass bell cost, and who hid it?", corpus())
    assert [(s.order, s.k) for s in made[:3]] == [(None, 20), (None, 10), ("meaning", 10)]
    assert made[0].also == ("brass bell cost hid", "How much did the brass bell cost", "who hid it")
    best = find(corpus(), made[0], set()).hits
    assert [s.like for s in made[:3]] == [(), (best[0].id, best[1].id), ()]
    assert all(s.date_from and s.date_to for s in made[3:])


def test_of_a_fact_what_follows_the_best_passages_without_the_questions_words_is_found() -> None:
    told = [
        Hit(
            "fair:00000",
            "fair",
            "The Mothlight rota bought its bell at the Lund market, from a tinker.",
            "",
            "2019-05-14",
        ),
        Hit("fair:00030", "fair", "That bell of the rota came with a leather strap from the tinker.", "", "2019-05-14"),
        Hit("fair:00060", "fair", "Eleven crowns he wanted at the Lund market, strap included.", "", "2019-05-14"),
    ]
    # Their ids come before it, so what shares no word stands in front.
    corpus_of_fact = [*told, *(replace(hit, id=f"a{hit.id}") for hit in corpus()[len(SAID) :])]
    question = "How much did the Mothlight rota pay for the bell?"
    with_like, _ = explore(question, corpus_of_fact)
    without, _ = explore(question, corpus_of_fact, replace(PLAN, fact_like=False))
    assert "fair:00060" in with_like[:30]
    assert "fair:00060" not in without[:30]
    _, made = explore(question, corpus_of_fact, offered=[name for name in ALL if name != "like"])
    assert not any(search.like for search in made)


def test_a_search_that_takes_a_query_alone_is_asked_the_first_turn_only() -> None:
    reader = Reader(offered=())
    first = reader.next_action(QUESTION, [], phase="explore").searches
    assert len(first) == 2
    seen = set[str]()
    results = [find(corpus(), search, seen) for search in first]
    assert reader.next_action(QUESTION, results, phase="explore").ready


def test_the_model_sends_what_the_tools_offer_and_reads_them_all() -> None:
    text = {"type": "string"}
    search = {"query": text, "also": text, "like": text, "order": {"enum": ["spread"]}, "from": text, "to": text}
    tools = (
        ToolSpec("search_transcripts", "", {"type": "object", "properties": search}),
        ToolSpec("search_timeline", "", {"type": "object", "properties": {"query": text}}),
        ToolSpec("mark_ready", "", {"type": "object"}),
    )
    (call,) = asyncio.run(ReaderModel().complete(ChatRequest((UserMessage(QUESTION),), tools, "required"))).calls
    sent = json.loads(call.arguments)
    assert (call.name, sent["order"], sent["also"]) == (
        "search_transcripts",
        "spread",
        list(rewordings(analyse(QUESTION))),
    )
    hit = {"id": "a:00000", "document_id": "a", "text": SAID[0][1], "date": "2019-05-14"}
    done = [ToolMessage("r1", "search_transcripts", json.dumps({"query": QUESTION, "hits": [hit]}))]
    for name in ("search_transcripts", "search_transcripts", "search_timeline", "search_timeline"):
        done.append(ToolMessage("r", name, json.dumps({"error": "not now"})))
        messages = (UserMessage(QUESTION), AssistantMessage("", ()), *done)
        (call, *_) = asyncio.run(ReaderModel().complete(ChatRequest(messages, tools, "required"))).calls
    assert call.name == "search_transcripts"
    assert json.loads(call.arguments)["like"] == ["a:00000"]


PERIODS = [
    {"period": "2019", "from": "2019-01-01", "to": "2020-01-01", "documents": 9, "shown": 4, "looked_at": True},
    {"period": "2021", "from": "2021-01-01", "to": "2022-01-01", "documents": 9, "shown": 0, "looked_at": True},
    {"period": "2022", "from": "2022-01-01", "to": "2023-01-01", "documents": 9, "shown": 0, "looked_at": False},
]


def table(hits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows the model sends when the table is asked for."""
    found = {"query": QUESTION, "matching": 9, "chunks_in_corpus": 9, "terms": [], "hits": list(hits)}
    messages = (
        UserMessage(QUESTION),
        AssistantMessage("", ()),
        ToolMessage("r1", "search_transcripts", json.dumps(found)),
        ToolMessage("r1", "mark_ready", json.dumps({"ready": True, "coverage": {"by": "year", "periods": PERIODS}})),
        UserMessage("Fill in the table."),
    )
    tool = ToolSpec("submit_timeline", "", {"type": "object", "properties": {}})
    (call,) = asyncio.run(ReaderModel().complete(ChatRequest(messages, (tool,), "required"))).calls
    assert call.name == "submit_timeline"
    rows: list[dict[str, Any]] = json.loads(call.arguments)["rows"]
    return rows


@pytest.mark.parametrize(
    ("question", "sent"),
    [(QUESTION, {"over_time": True}), ("전기 가마에 대한 생각이 시간이 지나면서 어떻게 변했나요?", {})],
)
def test_a_question_is_said_to_be_over_time_and_never_not_to_be(question: str, sent: dict[str, bool]) -> None:
    takes = {"type": "object", "properties": {"over_time": {"type": "boolean"}}}
    none = json.dumps({"query": question, "hits": []})
    tools = (ToolSpec("search_transcripts", "", {"type": "object"}), ToolSpec("mark_ready", "", takes))
    messages = (UserMessage(question), AssistantMessage("", ()), ToolMessage("r1", "search_transcripts", none))
    (call,) = asyncio.run(ReaderModel().complete(ChatRequest(messages, tools, "required"))).calls
    assert (call.name, json.loads(call.arguments)) == ("mark_ready", sent)


def test_the_table_quotes_by_day_and_says_where_nothing_was_shown() -> None:
    hit = {"document_id": "a", "title": "The Mothlight rota of Ida Brook", "score": 5.0, "dense": 0.6, "lexical": 9.0}
    rows = table([hit | {"id": "a:00000", "date": "2019-05-14", "text": SAID[0][1]}])
    assert rows[0] == {"when": "2019-05-14", "stance": SAID[0][1], "citations": ["a:00000"]}
    assert rows[1:] == [{"when": "2021", "nothing_found": True}]


def test_a_table_without_passages_says_so_of_every_period_looked_at() -> None:
    rows = table([])
    assert rows == [{"when": "2019", "nothing_found": True}, {"when": "2021", "nothing_found": True}]
