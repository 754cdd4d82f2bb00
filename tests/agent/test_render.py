"""An answer as Markdown: numbers by first citation, links made by code, a failure shown as one."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from markdown_it import MarkdownIt  # A dependency of rich.

from answertrail.agent.render import clock, markdown, sources, web_url
from answertrail.records import Run, RunChunk
from answertrail.records.jsonl import parse


def chunk(chunk_id: str, start: float | None = 30.0, **more: Any) -> dict[str, Any]:
    times = {} if start is None else {"start_s": start, "end_s": start + 30}
    return {"id": chunk_id, "document_id": chunk_id.rsplit(":", 1)[0], "title": "Why we moved",
            "text": "x", "published_at": "2025-01-10T18:00:00Z", "url": f"https://v.example/{chunk_id}",
            **times, **more}  # fmt: skip


def run(*statements: tuple[str, list[str], str], outcome="answered", chunks=None, **more: Any) -> Run:
    listed = [{"text": t, "kind": "claim", "citations": c, "support": s} for t, c, s in statements]
    record = {
        "schema": "run/1", "run_id": "r", "question": "Where is the kiln?", "status": "completed",
        "chunks": chunks if chunks is not None else [chunk("a:00030"), chunk("b:00060", 60.0), chunk("c:00000", 0.0)],
        "answer": {"outcome": outcome, "statements": listed}, **more,
    }  # fmt: skip
    return parse(Run, record, where="t:1")


def test_sources_are_numbered_by_first_citation_and_one_chunk_has_one_number():
    made = run(("One.", ["b:00060"], "HIT"), ("Two.", ["a:00030", "b:00060"], "HIT"), ("Three.", ["a:00030"], "HIT"))
    text = markdown(made)
    assert "- One. [1]\n- Two. [2][1]\n- Three. [2]\n" in text
    assert [(s.number, s.chunk.id) for s in sources(made)] == [(1, "b:00060"), (2, "a:00030")]
    assert "c:00000" not in text


def test_12_two_documents_cited_at_the_same_second_keep_their_own_links():
    chunks = [chunk("ep1:00030"), chunk("ep2:00030")]
    text = markdown(run(("One.", ["ep1:00030"], "HIT"), ("Two.", ["ep2:00030"], "HIT"), chunks=chunks))
    assert "1. [Why we moved, 2025-01-10, 0:30](https://v.example/ep1:00030) `ep1:00030`" in text
    assert "2. [Why we moved, 2025-01-10, 0:30](https://v.example/ep2:00030) `ep2:00030`" in text


def test_39_every_number_in_the_text_is_in_the_list_and_the_other_way_round():
    text = markdown(run(("One.", ["c:00000", "a:00030"], "HIT"), ("Two.", ["b:00060", "c:00000"], "MISS")))
    body, listed = text.split("Sources:")
    assert {int(n) for n in re.findall(r"\[(\d+)\]", body)} == {int(n) for n in re.findall(r"(?m)^(\d+)\. ", listed)}


def test_a_statement_whose_support_was_not_found_is_marked_and_no_other():
    text = markdown(
        run(("Good.", ["a:00030"], "HIT"), ("Bad.", ["a:00030"], "MISS"), ("Odd.", ["a:00030"], "UNSCORED"))
    )
    assert "- Good. [1]\n- Bad. [1] *(support not found)*\n- Odd. [1]\n" in text
    assert text.count("support not found") == 1


def test_a_citation_whose_text_the_run_does_not_carry_is_shown_by_its_id_and_not_dropped():
    text = markdown(run(("One.", ["a:00030", "x:00000"], "HIT")))
    assert "- One. [1]`x:00000`" in text


def test_a_source_without_url_title_date_or_time_shows_what_is_known():
    bare = {"id": "note:0000120", "document_id": "note", "text": "x", "url": None}
    text = markdown(run(("One.", ["note:0000120"], "HIT"), chunks=[bare]))
    assert "1. note `note:0000120`" in text
    assert "](" not in text
    untimed = markdown(run(("One.", ["n:0000000"], "HIT"), chunks=[chunk("n:0000000", None)]))
    assert "[Why we moved, 2025-01-10](https://v.example/n:0000000)" in untimed


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("answered", "Answered"),
        ("partly_answered", "Partly answered"),
        ("cannot_answer", "The corpus cannot answer this"),
    ],
)
def test_the_outcome_is_said_in_words_before_the_statements(outcome, words):
    text = markdown(run(("One.", ["a:00030"], "HIT"), outcome=outcome))
    assert text.index(f"**{words}**") < text.index("One.")
    assert text.startswith("# Where is the kiln?\n")


def test_what_was_not_found_is_listed():
    made = run(answer={"outcome": "cannot_answer", "statements": [], "not_found": ["the cost", "the colour"]})
    text = markdown(made)
    assert "Not found in the corpus:\n- the cost\n- the colour\n" in text
    assert "Sources" not in text


@pytest.mark.parametrize("status", ["failed", "cancelled", "interrupted", "over_budget"])
def test_a_run_that_did_not_complete_shows_its_reason_and_never_an_answer(status):
    text = markdown(run(status=status, answer=None, error={"kind": "cost_cap", "message": "2 USD spent"}))
    assert f"The run ended **{status}**: 2 USD spent" in text
    for words in ("Answered", "cannot answer", "Sources"):
        assert words not in text
    # also where somebody's file carries one
    text = markdown(run(("The kiln was stolen.", ["a:00030"], "HIT"), status=status, error={"message": "2 USD spent"}))
    assert "stolen" not in text
    assert "2 USD spent" in text


def test_a_failure_without_a_reason_says_that_none_was_recorded():
    assert "no reason was recorded" in markdown(run(status="failed", answer=None))


def test_an_imported_answer_of_text_alone_is_shown():
    text = markdown(run(answer={"outcome": "answered", "text": "In the barn."}, chunks=[]))
    assert "In the barn." in text


@pytest.mark.parametrize(
    ("start", "shown"),
    [(0.0, "0:00"), (9.9, "0:09"), (59.99, "0:59"), (60.0, "1:00"), (3599.0, "59:59"), (3600.0, "1:00:00"),
     (36061.0, "10:01:01"), (None, "")],
)  # fmt: skip
def test_a_time_is_told_in_minutes_and_from_an_hour_on_in_hours(start, shown):
    times = {} if start is None else {"start_s": start}
    assert clock(RunChunk.model_validate({"id": "a", "document_id": "a", "text": "x", **times})) == shown


def test_a_title_from_the_corpus_cannot_make_a_link_of_its_own():
    hostile = chunk("a:00030", title="x](https://evil.example) [y")
    text = markdown(run(("One.", ["a:00030"], "HIT"), chunks=[hostile]))
    assert "](https://evil.example)" not in re.sub(r"\\[\[\]]", "", text)
    assert "(https://v.example/a:00030)" in text


PLAIN = {"text", "text_special", "code_inline"}
HOSTILE = [
    "[x](//evil)",
    "![x](//evil)",
    "<img src=x onerror=alert(1)>",
    "# heading",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "12) item",
    "> quote",
    "---",
    "===",
    "~~~",
    "```\ncode",
    "`a` ``b``",
    "| a | b |",
    "**bold** _it_ ~~no~~",
    "&lt;b&gt; &#35;",
    "a\\b \\[x](//evil)",
    "one\n\n# two\n- three",
    "one\r# two\u2028# three\u0085# four",
    "<https://evil.example>",
    "https://evil.example/a_b_c",
    "see www.evil.example, or mail me@evil.example",
    "[ref]: //evil.example",
    "[a][b]",
    "    indented",
    "C# and 3.5 * 4_000 in snake_case",
]


def seen(markup: str) -> list[tuple[str, str, list[str]]]:
    """Return what a reader sees: each block with its words, and what else CommonMark and GFM made of them."""
    blocks = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markup)
    out = []
    for block in blocks:
        parts = block.children or []
        words = "".join(part.content for part in parts if part.type in PLAIN)
        out.append((block.type + block.tag, words, [part.type for part in parts if part.type not in PLAIN]))
    return out


def placed(place: str, text: str) -> Run:
    """Return a run with the text in one place."""
    if place == "question":
        return run(("One.", ["a:00030"], "HIT"), question=text)
    if place == "statement":
        return run((text, ["a:00030"], "HIT"))
    if place == "text":
        return run(answer={"outcome": "answered", "text": text}, chunks=[])
    if place == "not_found":
        return run(answer={"outcome": "cannot_answer", "statements": [], "not_found": [text]})
    if place == "reason":
        return run(status="failed", answer=None, error={"message": text})
    url = None if place == "title" else "https://v.example/a"
    return run(("One.", ["a:00030"], "HIT"), chunks=[chunk("a:00030", title=text, url=url)])


PLACES = ["question", "statement", "text", "not_found", "reason", "title", "linked title"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", PLACES)
def test_no_text_of_a_model_or_corpus_makes_markdown(place, text):
    expected = [
        (kind, words.replace("WORD", " ".join(text.split())), rest)
        for kind, words, rest in seen(markdown(placed(place, "WORD")))
    ]
    assert seen(markdown(placed(place, text))) == expected


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", ["https://e.example/a_b", "WWW.e.example", "me@e.example", "x](ftp://e.example) [y"])
def test_bare_addresses_are_code_so_that_no_renderer_links_them(place, text):
    made = markdown(placed(place, text))
    spans = re.findall(r"`([^`]+)`", made)
    address = re.search(r"\S*(?:e\.example)\S*", text)[0].rpartition("(")[2]
    assert any(address in span for span in spans)
    assert address not in re.sub(r"`[^`]+`", "", made)


def test_an_id_cannot_end_its_code_span():
    made = run(("One.", ["a`b<img>:00030", "x``](//evil):1"], "HIT"), chunks=[chunk("a`b<img>:00030", url=None)])
    blocks = seen(markdown(made))
    assert not [rest for _, _, rest in blocks if rest not in ([], ["strong_open", "strong_close"], ["softbreak"])]
    assert "One. [1]x``](//evil):1" in [words for _, words, _ in blocks]


@pytest.mark.parametrize(
    ("url", "made"),
    [
        ("https://v.example/a)b c", "https://v.example/a%29b%20c"),
        ('https://v.example/(a)<b>`"\\', "https://v.example/%28a%29%3Cb%3E%60%22%5C"),
        ("HTTP://v.example/?v=a&t=90s#x", "HTTP://v.example/?v=a&t=90s#x"),
        ("https://v.example/日本", "https://v.example/日本"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("//v.example/a", None),
        ("https:v.example", None),
        ("https://[v", None),
        ("https://v.example/\n# x", None),
        ("https://v.example/\x1b[2J", None),
        ("https://v.example/\u202e", None),
        (" https://v.example/ ", "https://v.example/"),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_are_links_and_nothing_in_them_ends_the_link(url, made):
    assert web_url(url) == made
    (item,) = [
        line
        for line in markdown(run(("One.", ["a:00030"], "HIT"), chunks=[chunk("a:00030", url=url)])).splitlines()
        if line.startswith("1. ")
    ]
    label = "Why we moved, 2025-01-10, 0:30"
    assert item == (f"1. [{label}]({made}) `a:00030`" if made else f"1. {label} `a:00030`")


def test_long_words_cost_no_more_than_their_length():
    began = time.process_time()  # other tests run beside this one
    markdown(placed("statement", "a" * 200_000 + " " + "[" * 200_000 + "`" * 200_000))
    assert time.process_time() - began < 5
