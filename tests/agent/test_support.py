"""What the plain support check sees, and what it admits it cannot see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.agent.support import LexicalSupport, evidence_text

KILN = "So in January we moved the kiln to the barn, and it took 4 people and a tractor."


def verdict(statement, *texts):
    return LexicalSupport().judge(statement, texts).verdict


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        ("In January the kiln was moved to the barn.", KILN, "HIT"),
        ("They moved kilns into barns.", KILN, "HIT"),
        ("The glaze crawled because the firing was too cold.", KILN, "MISS"),
        ("The kiln exploded violently last Christmas.", KILN, "MISS"),
        # numbers: all of them, whatever the words
        ("Moving the kiln to the barn took 4 people.", KILN, "HIT"),
        ("Moving the kiln to the barn took 7 people.", KILN, "MISS"),
        ("Moving the kiln to the barn took four people.", KILN, "HIT"),
        ("It took 4 people and 2 tractors to move the kiln to the barn.", KILN, "MISS"),
        ("It took twenty people to move the kiln.", "It took 20 people to move the kiln.", "HIT"),
        ("It took 20 people to move the kiln.", "It took Twenty people to move the kiln.", "HIT"),
        ("The kiln cost 1,240 dollars.", "The kiln cost 1240 dollars.", "HIT"),
        ("The kiln cost 1240 dollars.", "The kiln cost 1,240 dollars.", "HIT"),
        ("The kiln cost 1,240 dollars.", "The kiln cost 1,250 dollars.", "MISS"),
        ("The kiln cost 240 dollars.", "The kiln cost 1,240 dollars.", "MISS"),
        ("Loss fell to 0.35 with that glaze.", "Loss fell to 0.35 with that glaze.", "HIT"),
        ("Loss fell to 0.35 with that glaze.", "Loss fell to 0.53 with that glaze.", "MISS"),
        ("Loss fell to 3.5 with that glaze.", "Loss fell to 35 with that glaze.", "MISS"),
        ("1240", "It was fired at 1240 degrees.", "HIT"),
        ("1240", "It was fired at 1250 degrees.", "MISS"),
    ],
)
def test_half_of_the_content_words_and_every_number_must_occur(statement, text, expected):
    assert verdict(statement, text) == expected


def test_the_share_is_counted_at_one_half():
    assert verdict("kiln barn glaze salt", "kiln barn") == "HIT"
    assert verdict("kiln barn glaze salt ash", "kiln barn") == "MISS"


def test_a_number_that_is_missing_is_named():
    found = LexicalSupport().judge("Moving the kiln took 7 people and 9 days.", [KILN])
    assert found.verdict == "MISS"
    assert "7, 9" in found.reason


def test_cited_texts_are_taken_together():
    parts = ("The kiln stands in the barn.", "It was fired at 1240 degrees.")
    assert verdict("The kiln in the barn was fired at 1240 degrees.", *parts) == "HIT"
    assert verdict("The kiln in the barn was fired at 1240 degrees.", parts[0]) == "MISS"


def test_title_and_date_of_a_chunk_lend_support():
    text = evidence_text("Glaze log", datetime(2025, 1, 10, 18, tzinfo=UTC), "We tried it again.")
    assert verdict("In January 2025 the glaze log says they tried again.", text) == "HIT"
    assert verdict("On 10 January 2025 they tried again.", text) == "HIT"
    early = evidence_text("Glaze log", datetime(2025, 1, 9, tzinfo=UTC), "We tried it again.")
    assert verdict("On 9 January 2025 they tried again.", early) == "HIT"
    assert verdict("In March 2026 they tried again.", text) == "MISS"
    assert evidence_text("Glaze log", None, "x") == "Glaze log  x"


def test_a_date_is_told_in_utc_as_the_run_record_stores_it():
    seoul = datetime.fromisoformat("2025-01-10T08:00:00+09:00")
    assert evidence_text("t", seoul, "x") == evidence_text("t", seoul.astimezone(UTC), "x")
    assert "2025-01-09" in evidence_text("t", seoul, "x")


def test_nothing_cited_is_a_miss():
    assert verdict("The kiln was moved.") == "MISS"


def test_a_statement_without_content_words_is_unscored():
    assert verdict("It was what it was.", KILN) == "UNSCORED"
    assert verdict("…", KILN) == "UNSCORED"


@pytest.mark.parametrize(
    "text",
    ["가마를 헛간으로 옮겼다.", "我们把窑搬到了谷仓。", "Мы перенесли печь в сарай.", "نقلنا الفرن إلى الحظيرة."],
)
def test_words_of_different_scripts_are_unscored_and_never_a_miss(text):
    assert verdict("The kiln was moved to the barn.", text) == "UNSCORED"
    # also with what a chunk's date, and a Latin word in its title, lend to the evidence
    with_date = evidence_text("Vlog", datetime(2025, 1, 10, tzinfo=UTC), text + text)
    assert verdict("The kiln was moved to the barn.", with_date) == "UNSCORED"


def test_a_number_is_compared_across_scripts():
    assert verdict("It was fired at 1250 degrees.", "온도는 1240도였다.") == "MISS"


def test_korean_is_compared_with_korean_whatever_the_particle():
    text = "그래서 1월에 우리는 가마를 헛간으로 옮겼습니다. 네 명이 필요했어요."
    assert verdict("1월에 가마는 헛간으로 옮겨졌다.", text) == "HIT"
    assert verdict("유약이 자꾸 갈라졌다.", text) == "MISS"
    assert verdict("3월에 가마는 헛간으로 옮겨졌다.", text) == "MISS"


def test_chinese_is_compared_by_pairs_and_not_by_whole_sentences():
    text = "所以一月份我们把窑搬到了谷仓里，用了四个人和一台拖拉机。"
    assert verdict("他们把窑搬到了谷仓。", text) == "HIT"
    assert verdict("釉料总是裂开。", text) == "MISS"


@pytest.mark.parametrize(
    "statement",
    [
        "In January the kiln was not moved to the barn.",  # negation
        "The barn was moved to the kiln by a tractor in January.",  # who did what to whom
        "In January we sold the kiln and the barn.",  # one wrong verb among right words
    ],
)
def test_known_limit_negation_and_roles_are_not_seen(statement):
    # docs/architecture.md, check 5, says so. When a judge replaces this check, this test should fail.
    assert verdict(statement, KILN) == "HIT"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("It cost 1.240 Euro.", "It cost 1240 Euro."),  # a point for thousands
    ],
)
def test_known_limit_numbers_are_compared_as_they_are_written(statement, text):
    assert verdict(statement, text) == "MISS"


@given(st.text(alphabet="kiln barn 12,3.5 유약을 é four", min_size=1, max_size=60))
def test_a_text_never_fails_to_support_itself(text):
    assert verdict(text, text) in {"HIT", "UNSCORED"}


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_gets_a_verdict_with_a_reason(statement, texts):
    found = LexicalSupport().judge(statement, texts)
    assert found.verdict in {"HIT", "MISS", "UNSCORED"}
    assert found.reason


def test_one_as_a_pronoun_is_not_taken_for_a_number():
    assert verdict("One of the people moved the kiln.", "A person moved the kiln, said people.") == "HIT"
