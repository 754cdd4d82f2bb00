"""Excerpts are whole sentences, or whole caption cues, and passages cite what they are cut from."""

from answertrail.models.reader.compose import passage
from answertrail.models.reader.evidence import Hit, SearchResult, adjacent, gather, parse_result
from answertrail.models.reader.excerpts import pieces


def hit(seconds: int, text: str, document: str = "d") -> Hit:
    return Hit(id=f"{document}:{seconds:05d}", document_id=document, text=text, start_s=float(seconds))


def test_punctuated_lines_are_cut_at_sentences() -> None:
    assert pieces("The lamp is lit at dusk each day. Dr. Voss pays for all the oil.") == (
        "The lamp is lit at dusk each day.",
        "Dr. Voss pays for all the oil.",
    )


def test_caption_cues_without_punctuation_stay_whole() -> None:
    assert pieces("so the lamp was lit\nat dusk by the keeper") == ("so the lamp was lit", "at dusk by the keeper")


def test_neighbours_are_found_on_the_grid_and_only_there() -> None:
    pool = {h.id: h for h in (hit(30, "a"), hit(60, "b"), Hit(id="e:0000100", document_id="e", text="c"))}
    assert adjacent(pool, pool["d:00030"]) is pool["d:00060"]
    assert adjacent(pool, pool["d:00060"]) is None
    assert adjacent(pool, pool["e:0000100"]) is None


def test_a_passage_that_crosses_windows_cites_both() -> None:
    first, second = hit(0, "and then we lit the big brass lamp"), hit(30, "for the very first time in winter")
    found = passage(first, None, second, {"lamp": 1.0, "winter": 1.0}, set(), 40)
    assert found.citations == ("d:00000", "d:00030")
    assert found.text == "and then we lit the big brass lamp for the very first time in winter"


def test_a_passage_leaves_chunks_alone_that_are_already_cited() -> None:
    first, second = hit(0, "we lit the lamp"), hit(30, "in winter")
    assert passage(first, None, second, {"lamp": 1.0}, {"d:00030"}, 40).citations == ("d:00000",)


def test_a_passage_is_the_run_of_pieces_that_covers_most_of_the_question() -> None:
    text = (
        "We had tea and spoke of the weather. The lamp was lit for the first time.\nIt was winter and the keeper wept."
    )
    weights = {"lamp": 1.0, "winter": 1.0}
    found = passage(hit(0, text), None, None, weights, set(), 16)
    assert found.text == "The lamp was lit for the first time. It was winter and the keeper wept."


def test_a_piece_longer_than_a_passage_is_quoted_whole() -> None:
    text = " ".join(["and the lamp went on and on"] * 10)
    assert passage(hit(0, text), None, None, {"lamp": 1.0}, set(), 40).text == text


def test_a_result_without_terms_and_with_odd_fields_is_read() -> None:
    result = parse_result(
        {"query": "q", "hits": [{"id": "d:00000", "text": "x", "dense": float("nan")}, {"id": "", "text": "y"}, 3]}
    )
    assert result.terms is None
    assert [h.id for h in result.hits] == ["d:00000"]
    assert result.hits[0].dense is None


def test_a_chunk_seen_twice_is_in_the_pool_once() -> None:
    pool = gather([SearchResult("a", (hit(0, "x"),)), SearchResult("b", (hit(0, "x"), hit(30, "y")))])
    assert [h.id for h in pool.hits] == ["d:00000", "d:00030"]
