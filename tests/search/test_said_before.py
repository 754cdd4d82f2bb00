"""What a short chunk is found by beside its own words."""

from __future__ import annotations

import asyncio

from answertrail.search.load import lexical_index
from answertrail.search.said_before import ENOUGH, contexts
from tests.search.worlds import row


def words(count, stem="word"):
    return " ".join(f"{stem}{n}" for n in range(count))


def test_a_long_chunk_is_found_by_title_and_speakers_alone():
    rows = [row("a:00000", words(ENOUGH)), row("a:00030", words(ENOUGH, "other"))]
    assert contexts(rows) == [" ".join((r.title, *r.speakers)) for r in rows]


def test_a_short_chunk_is_found_by_as_many_before_it_as_make_sixty_words():
    rows = [row(f"a:{n:07}", words(25, f"t{n}x")) for n in range(4)]
    found = contexts(rows)
    assert "t0x" not in found[0]
    assert "t0x0" in found[1]
    # 25 + 25 are not enough, 25 + 25 + 25 are: two before, not three.
    assert "t1x0" in found[3]
    assert "t2x0" in found[3]
    assert "t0x0" not in found[3]
    assert found[3].index("t1x0") < found[3].index("t2x0")


def test_what_was_said_in_another_document_is_no_context():
    rows = [row("a:0000000", "the kiln is hot"), row("b:0000000", "yes")]
    assert "kiln" not in contexts(rows)[1]


def test_characters_of_a_script_without_spaces_count_as_half_a_word():
    rows = [row("a:0000000", "유약 이야기"), row("a:0000100", "가" * 2 * ENOUGH), row("a:0000300", "가" * ENOUGH)]
    found = contexts(rows)
    assert "유약" not in found[1]
    assert "가" in found[2]


def test_the_answer_of_a_turn_is_found_by_the_words_of_its_question():
    rows = [
        row("a:0000000", "Did you ever fire the blue glaze?"),
        row("a:0000050", "Yes, last week, with the children."),
        *[row(f"b:{n:07}", words(ENOUGH, f"b{n}x")) for n in range(6)],
    ]
    index = lexical_index(rows)
    scores, _ = index.scores("blue glaze")
    assert scores[1] > 0
    assert scores[0] > scores[1]
    # What is said of the words is what the chunk itself says.
    assert index.terms("glaze") == {"glaze": 1}


def test_the_same_words_in_pieces_and_at_once():
    """An engine reads the rows one by one; it must come to the same words."""
    rows = [row(f"{name}:{n:07}", words(7 * n % 40, f"{name}{n}x")) for name in "ab" for n in range(9)]
    assert contexts(rows) == contexts(iter(rows))
    assert asyncio.run(_streamed(rows)) == contexts(rows)


async def _streamed(rows):
    from answertrail.search.said_before import FurtherWords

    further = FurtherWords()
    return [further.of(r.document_id, r.title, r.speakers, r.text) for r in rows]
