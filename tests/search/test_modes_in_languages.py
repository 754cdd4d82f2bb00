"""Every search mode in Korean, Chinese and Arabic: found by words, dated, paged, and warned of."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from answertrail.models.embedding.load import load_embedder
from answertrail.search.hits import Filter
from answertrail.search.index import CorpusIndex
from answertrail.search.load import lexical_index
from answertrail.search.modes import MODES
from tests.search.worlds import row

MONTHS = ["2024-01-10", "2024-02-10", "2024-03-10", "2024-04-10", "2024-05-10", "2024-06-10"]
TALKS = {
    "ko": [
        "1월에 우리는 가마를 헛간으로 옮겼습니다. 트랙터가 필요했어요.",
        "고양이가 진흙 통에서 겨우내 잠을 잤습니다.",
        "3월에는 헛간 지붕이 새서 가마가 젖었습니다.",
        "유약은 1240도에서 구울 때까지 계속 벗겨졌습니다.",
        "시장에서 그릇을 마흔 개 팔았습니다.",
        "6월에 가마를 다시 창고로 돌려놓았습니다.",
    ],
    "zh": [
        "一月我们把窑搬到了谷仓，用了一台拖拉机。",
        "猫整个冬天都睡在泥桶里。",
        "三月谷仓的屋顶漏水，窑被淋湿了。",
        "釉一直脱落，直到我们烧到1240度。",
        "我们在集市上卖了四十个碗。",
        "六月我们又把窑搬回了棚子。",
    ],
    "ar": [
        "في يناير نقلنا الفرن إلى الحظيرة واحتجنا إلى جرّار.",
        "نامت القطة في دلو الطين طوال الشتاء.",
        "في مارس تسرّب الماء من سقف الحظيرة وابتلّ الفرن.",
        "ظل الطلاء يتقشر حتى أحرقناه عند ١٢٤٠ درجة.",
        "بعنا أربعين وعاءً في السوق.",
        "في يونيو أعدنا الفرن إلى السقيفة.",
    ],
}
KILN = {"ko": "가마는 어디로 옮겼나요?", "zh": "窑搬到哪里去了？", "ar": "أين نُقل الفرن؟"}
ABOUT_THE_KILN = {"d0", "d2", "d5"}
HEAT = {"ko": "유약 1240", "zh": "釉 1240度", "ar": "الطلاء 1240"}
LANGUAGES = list(TALKS)


@pytest.fixture(scope="module")
def indexes():
    embedder = load_embedder("multilingual")
    out = {}
    for language, texts in TALKS.items():
        rows = [
            row(f"d{n}:00000", text, published=datetime.fromisoformat(day).replace(tzinfo=UTC), language=language)
            for n, (text, day) in enumerate(zip(texts, MONTHS, strict=True))
        ]
        vectors = asyncio.run(embedder.embed([item.text for item in rows], "passage"))
        out[language] = CorpusIndex(rows, vectors, lexical_index(rows), embedder)
    return out


def run(index, query, mode, k=3, **within):
    return asyncio.run(index.search(query, mode=mode, k=k, within=Filter(**within)))


def names(result):
    return [hit.document_id for hit in result.hits]


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid", "fused", "fused+terms"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_for_comes_first(indexes, language, mode):
    assert names(run(indexes[language], KILN[language], mode))[0] in ABOUT_THE_KILN
    assert names(run(indexes[language], HEAT[language], mode))[0] == "d3"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_timeline_tells_of_the_kiln_in_date_order(indexes, language):
    result = run(indexes[language], KILN[language], "timeline", k=3)
    assert set(names(result)) <= ABOUT_THE_KILN
    dates = [hit.published_at for hit in result.dated]
    assert dates == sorted(dates)
    assert len(result.coverage.periods) == 6
    assert sum(period.hits for period in result.coverage.periods) == len(result.hits) >= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_diverse_and_near_begin_with_the_kiln_and_return_all_there_is(indexes, language):
    for mode in ("diverse", "near"):
        result = run(indexes[language], KILN[language], mode, k=6)
        assert names(result)[0] in ABOUT_THE_KILN
        assert sorted(names(result)) == [f"d{n}" for n in range(6)]
        scores = [hit.score for hit in result.hits]
        assert all(one >= other for one, other in pairwise(scores))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_fit_together_and_filters_leave_exactly_what_matches(indexes, language, mode):
    index = indexes[language]
    whole = run(index, KILN[language], mode, k=6)
    first = run(index, KILN[language], mode, k=2)
    rest = run(index, KILN[language], mode, k=6, exclude=frozenset(hit.chunk_id for hit in first.hits))
    assert names(first) + names(rest) == names(whole)
    spring = run(index, KILN[language], mode, k=6, start=datetime(2024, 3, 1, tzinfo=UTC))
    assert set(names(spring)) <= {"d2", "d3", "d4", "d5"}
    assert len(spring.hits) == min(6, spring.matching)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_english_question_finds_the_kiln_in_any_of_them(indexes, language):
    assert names(run(indexes[language], "Where was the kiln moved?", "fused"))[0] in ABOUT_THE_KILN


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_query_in_two_languages_is_found_by_its_words_in_either(indexes, language):
    assert names(run(indexes[language], f"glaze {HEAT[language]}", "lexical"))[0] == "d3"


@pytest.mark.parametrize("mode", MODES)
def test_a_query_the_embedder_does_not_read_is_warned_of_in_every_mode_that_embeds(mode):
    english = load_embedder("fast")
    rows = [row("a:00000", "We moved the kiln to the barn."), row("b:00000", "A cat slept.")]
    vectors = asyncio.run(english.embed([item.text for item in rows], "passage"))
    index = CorpusIndex(rows, vectors, lexical_index(rows), english)
    warned = run(index, KILN["zh"], mode).warnings
    if mode == "lexical":
        assert warned == ()
        return
    assert len(warned) == 1
    assert "in Chinese, which the embedder wordllama does not read (it reads English)" in warned[0]
    assert "`ingest --asked-in zh`" in warned[0]
    assert run(index, "Where was the kiln moved?", mode).warnings == ()
    assert "it is partly in Chinese" in run(index, "what is 道", mode).warnings[0]
    # A wording it does read makes up for it.
    translated = asyncio.run(index.search(KILN["zh"], mode=mode, k=2, also=["Where was the kiln moved?"]))
    assert translated.warnings == ()
