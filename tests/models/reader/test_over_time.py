"""How the reader plans a question over time: in words the corpus has, by who is asked about, on from what it found."""

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
from answertrail.models.reader.evidence import gather
from answertrail.models.reader.keywords import feedback_words, keyword_query, probe_query
from answertrail.models.reader.plan import Search
from answertrail.models.reader.question import analyse
from answertrail.models.reader.settings import PLAN, PlanSettings
from answertrail.models.reader.text import content_stems
from answertrail.models.reader.topic import known_query, speakers_named, topic_query

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
    """A toy search by shared stems, its score the number of them; every chunk can be returned."""
    terms = content_stems(search.query)
    inside = [h for h in hits if (search.date_from or "") <= (h.date or "") < (search.date_to or "9")]
    about = {h.id: set(content_stems(f"{h.text} {' '.join(h.speakers)}")) for h in hits}
    scored = [replace(h, score=len(set(terms) & about[h.id]) + 0.5) for h in inside if h.id not in seen]
    best = tuple(sorted(scored, key=lambda h: (-h.score, h.id))[: search.k or 10])
    seen.update(h.id for h in best)
    frequency = tuple((t, sum(t in stems for stems in about.values())) for t in terms)
    return SearchResult(search.query, best, len(inside), len(hits), 0, frequency, search.date_from, search.date_to)


def explore(question: str, hits: Sequence[Hit], settings: PlanSettings) -> tuple[list[str], list[Search]]:
    """The chunks in the order shown, and every search made."""
    reader, seen = Reader(settings=settings), set[str]()
    results: list[SearchResult] = []
    made: list[Search] = []
    for _ in range(15):
        searches = reader.next_action(question, results, phase="explore").searches
        if not searches:
            return [h.id for r in results for h in r.hits], made
        made += searches
        results += [find(hits, s, seen) for s in searches]
    raise AssertionError("the plan has no end")


def test_words_no_chunk_holds_are_left_out_of_the_topic() -> None:
    question = analyse(QUESTION)
    assert known_query(question, {}) == "Ida Brook's opinion Mothlight rota changed years"
    assert known_query(question, {"ida": 0, "brook": 0, "opinion": 2}) == "opinion Mothlight rota changed years"
    assert topic_query(question) == "Ida Brook's Mothlight rota"
    assert topic_query(question, {"ida": 0, "brook": 0, "mothlight": 3, "rota": 4}) == "Mothlight rota"
    unknown = dict.fromkeys(question.stems, 0)
    assert topic_query(question, unknown) == "Ida Brook's Mothlight rota"
    assert known_query(question, unknown) == known_query(question, {})


@pytest.mark.parametrize("question", ["", "Why?", "How did it?"])
def test_a_question_without_content_is_asked_as_it_is(question: str) -> None:
    assert topic_query(analyse(question), {}) == known_query(analyse(question), {}) == question


def test_a_speaker_is_named_only_by_the_whole_name() -> None:
    hits = (
        Hit("a:00000", "a", "x", speakers=("Ida Brook", "Ann")),
        Hit("b:00000", "b", "y", speakers=("Ida Stone", "Ida Brook")),
    )
    assert speakers_named(analyse(QUESTION), gather([SearchResult("q", hits)])) == ("Ida Brook",)


def test_everything_a_person_says_is_found_by_name() -> None:
    hits = corpus()
    hits = [replace(h, speakers=("Ida Brook",)) if h.id.startswith("said") else h for h in hits]
    shown, made = explore(QUESTION, hits, PLAN)
    assert Search("Ida Brook") in made
    assert {h.id for h in hits if h.speakers} <= set(shown[:40])


def test_a_passage_found_is_searched_on_from_in_its_rarest_words() -> None:
    hits = corpus()
    first = SearchResult(QUESTION, tuple(hits[8:18]), 64, 64, terms=(("mothlight", 1), ("ida", 0), ("brook", 0)))
    words = Reader().next_action(QUESTION, [first], phase="explore").searches
    assert [s.query for s in words] == ["opinion Mothlight rota changed years"]
    second = SearchResult(words[0].query, (hits[0],), 64, 64, terms=())
    (probe,) = Reader().next_action(QUESTION, [first, second], phase="explore").searches
    assert probe.k == 1
    known = find(hits, probe, {h.id for h in hits[8:18]} | {hits[0].id})
    onwards = Reader().next_action(QUESTION, [first, second, known], phase="explore").searches[0]
    assert set(onwards.query.split()) >= {"brass", "bicycle"}
    shown = [h.id for h in find(hits, onwards, {hits[0].id}).hits]
    assert {h.id for h in hits[1:4]} <= set(shown)


def test_keywords_are_the_rarest_words_that_are_not_the_passages_own() -> None:
    text = "The brass bell, the bell of 1984, was a model of brass."
    counts = {"brass": 4, "bell": 3, "model": 90, "1984": 2}
    assert keyword_query(text, counts, 100) == "bell brass model"
    assert keyword_query(text, {"brass": 1, "bell": 0}, 100) == ""
    assert keyword_query("", {}, 0) == ""


def test_feedback_weighs_a_word_by_its_passages_and_its_rarity() -> None:
    texts = [(2.0, "brass bell"), (1.0, "brass scarf")]
    # ln(1 + 99 / 10) = 2.389: brass 3 x 2.389, bell 2 x 2.389, scarf 1 x 2.389
    assert feedback_words(texts, {"brass": 9, "bell": 9, "scarf": 9}, 99, ()) == "brass bell scarf"
    assert feedback_words(texts, {"brass": 9, "bell": 9, "scarf": 9}, 99, ("brass",)) == "bell scarf"


def test_a_probe_holds_each_word_once_and_fits_the_tool() -> None:
    long = " ".join(f"word{n}x" for n in range(400))
    assert len(probe_query([long])) <= 1000
    assert probe_query(["brass bell", "bell scarf"]).split() == ["bell", "scarf", "brass"]


@pytest.mark.parametrize("idea", [field.name for field in fields(PLAN)])
def test_a_plan_ends_and_shows_nothing_twice_with_any_idea_switched(idea: str) -> None:
    shown, made = explore(QUESTION, corpus(), replace(PLAN, **{idea: not getattr(PLAN, idea)}))
    assert len(shown) == len(set(shown))
    assert len(made) <= 20
    assert all(0 < len(s.query) <= 1000 and 0 < (s.k or 10) <= 20 for s in made)


def test_a_search_that_fails_is_not_made_again() -> None:
    reader = Reader()
    first = find(corpus(), Search(QUESTION, k=10), set())
    second = reader.next_action(QUESTION, [first], phase="explore").searches
    failed = [SearchResult(s.query, date_from=s.date_from, date_to=s.date_to) for s in second]
    third = reader.next_action(QUESTION, [first, *failed], phase="explore").searches
    assert not set(second) & set(third)


def test_a_search_without_dates_is_asked_the_first_turn_only() -> None:
    reader = Reader(dated=False)
    first = reader.next_action(QUESTION, [], phase="explore").searches
    assert len(first) == 2
    seen = set[str]()
    results = [find(corpus(), search, seen) for search in first]
    assert reader.next_action(QUESTION, results, phase="explore").ready


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
