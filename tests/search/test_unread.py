"""What is said of a query that the embedder does not read."""

from __future__ import annotations

import pytest

from answertrail.search.unread import unread_warnings


@pytest.mark.parametrize(
    ("query", "said", "advised"),
    [
        ("개인정보에 대해 뭐라고 했나요?", "the query is in Korean", "`ingest --asked-in ko`, or"),
        # Devanagari is Marathi's script too.
        (
            "नवीन पुलाचे बांधकाम कधी सुरू झाले",
            "the query looks like it is in Hindi",
            "(or the code of the language it is in)",
        ),
        ("¿Qué dijo sobre la privacidad?", "the query looks like it is in Spanish", "`ingest --asked-in es`"),
    ],
)
def test_a_language_that_shares_its_letters_is_one_the_query_looks_like(query, said, advised):
    (warning,) = unread_warnings("minilm", [query])
    assert warning.startswith(said)
    assert advised in warning


def test_no_corpus_is_made_again_for_a_few_words():
    (warning,) = unread_warnings("minilm", ["inflación de la moneda"])
    assert "looks like it is in Spanish" in warning
    assert "--asked-in" not in warning


def test_a_wording_that_is_read_makes_up_for_one_that_is_not():
    assert unread_warnings("minilm", ["가마", "kiln"]) == ()
    assert unread_warnings("openai:x@1", ["가마"]) == ()
