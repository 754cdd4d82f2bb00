"""Passages searched on from: by which words, and what that finds."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from answertrail.search.like import telling_words
from answertrail.search.open_corpus import OpenCorpus
from answertrail.search.wordings import LIKE, Wordings, blended
from tests.search.test_wordings import signals
from tests.search.worlds import TinyEmbedder, index_of, row, unit

TALK = {
    "ep1:00000": "They call it the Mothlight rota: a brass bell off a bicycle, on the desk of whoever may train.",
    "ep2:00000": "One chap hid our bit of brass in a drawer, bell and all, under a scarf.",
    **{f"talk{n}:00000": f"Listeners wrote about models and data, letter {n}, and we read it." for n in range(20)},
}
"""The name is said once; what the thing is made of comes back."""


def corpus():
    index = index_of([row(name, text) for name, text in TALK.items()], TinyEmbedder())
    return OpenCorpus(ref=None, index=index)


def found(**more):
    return asyncio.run(corpus().search("Mothlight rota", mode="lexical", k=9, **more))


def test_the_words_are_the_rarest_that_others_have_too():
    held = {"brass": 4, "bell": 3, "model": 90, "1984": 2, "mothlight": 1}
    text = "The brass bell, the bell of 1984, was a Mothlight model of brass."
    assert telling_words(text, "en", held) == "bell brass model"
    assert telling_words(text, None, {}) == ""
    assert telling_words("", "en", held) == ""
    many = " ".join(f"word{chr(97 + n)}x" for n in range(26))
    assert len(telling_words(many, "en", {f"word{chr(97 + n)}x": 2 + n for n in range(26)}).split()) == 20


def test_a_script_without_spaces_gives_pairs():
    assert telling_words("가마는", "ko", {"가마": 3, "마는": 9}) == "가마 마는"


def test_later_talk_is_found_by_the_words_of_the_first():
    assert [hit.document_id for hit in found().hits] == ["ep1"]
    onwards = found(like=["ep1:00000"])
    assert [hit.document_id for hit in onwards.hits][:2] == ["ep1", "ep2"]
    assert onwards.like == {"ep1:00000": "bell brass"}
    assert onwards.terms.keys() == found().terms.keys()


def test_ids_the_corpus_does_not_have_and_passages_without_telling_words_are_left_out():
    plain = [hit.chunk_id for hit in found().hits]
    result = found(like=["gone:00000"])
    assert ([hit.chunk_id for hit in result.hits], result.like) == (plain, {})


def test_a_hit_tells_the_scores_of_the_query_alone():
    alone, both = found(), found(like=["ep1:00000"], reworded=["bell"])
    assert both.hits[0].lexical == alone.hits[0].lexical
    assert both.hits[1].lexical == 0.0
    assert both.reworded == ("bell",)


def test_rewordings_give_the_mean_and_passages_the_highest():
    own = signals([0.0, 1.0], [4, 0], 0.5)  # standardised -1, 1; votes 2, 0
    other = signals([1.0, 0.0], [0, 2], 2.0)  # 1, -1; votes 0, 4
    assert blended(own, [], []) is own
    mean = blended(own, [other], [])
    assert mean.dense.tolist() == pytest.approx([0.5, 0.5])
    assert (mean.lexical * mean.weight).tolist() == pytest.approx([1.0, 2.0])
    liked = blended(own, [], [other, own])
    assert liked.dense.tolist() == pytest.approx([0.5 + 0.5 * (LIKE - 1) / (1 + LIKE), 1.0], abs=1e-6)
    assert (liked.lexical * liked.weight).tolist() == pytest.approx(
        [(2 + LIKE * 2) / (1 + LIKE), LIKE * 4 / (1 + LIKE)]
    )


def test_a_wording_without_a_vector_takes_nothing_from_the_others():
    own, blank = signals([0.2, 0.8], [0, 3], 0.75), signals([np.nan, np.nan], [0, 0], 0.0)
    for with_blank in (blended(own, [blank], []), blended(own, [], [blank])):
        assert with_blank.dense.tolist() == pytest.approx([0.2, 0.8])
    unread = blended(blank, [own], [])
    assert np.argmax(unread.dense) == 1
    assert (unread.lexical * unread.weight).tolist() == pytest.approx([0, 1.125])


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid", "fused", "near", "timeline", "diverse", "spread"])
def test_every_mode_takes_them(mode):
    # All passages are as near in meaning, so that words decide.
    texts = ("Mothlight rota", "brass bell", "brass scarf drawer")
    embedder = TinyEmbedder(2, {text: unit([1, 0]) for text in texts})
    vectors = {name: unit([1, 0]) for name in TALK}
    index = index_of([row(name, text) for name, text in TALK.items()], embedder, vectors)
    wordings = Wordings(texts[1:2], texts[2:])
    result = asyncio.run(index.search(texts[0], mode=mode, k=2, wordings=wordings))
    assert mode == "dense" or {hit.document_id for hit in result.hits} == {"ep1", "ep2"}
    assert len(result.hits) == 2
