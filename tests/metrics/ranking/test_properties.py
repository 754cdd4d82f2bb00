"""What must hold of every list: bounds, and what may and may not change a value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answertrail.metrics.measured import Intervals
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.hits import hits_of
from answertrail.metrics.ranking.measures import Result, ranking_measures
from answertrail.metrics.ranking.ranked import ranked_list
from answertrail.metrics.ranking.ties import tie_averaged, tied_list
from answertrail.metrics.ranking.units import Span
from answertrail.metrics.values import Undefined

CHUNKS = [f"{document}:{start:05d}" for document in "ab" for start in range(0, 180, 30)]
spans = st.builds(
    lambda document, start, length: Span(document, start, start + length),
    st.sampled_from("ab"),
    st.integers(0, 170),
    st.integers(0, 70),
)
grades = st.dictionaries(st.sampled_from(CHUNKS), st.integers(1, 4), max_size=4)
golds = st.tuples(grades, st.lists(spans, unique=True, max_size=4)).filter(lambda parts: bool(parts[0] or parts[1]))
lists = st.lists(st.sampled_from(CHUNKS), max_size=16)
ranks = st.integers(1, 14)


def made(parts: tuple[dict[str, float], list[Span]], name: str = "q") -> Gold:
    gold = gold_units(name, *parts)
    assert isinstance(gold, Gold)
    return gold


def values(gold: Gold, ids: list[str], k: int) -> dict[str, float | Undefined]:
    hits = hits_of(gold, ranked_list(ids).ids)
    return {n: m.value for n, m in ranking_measures([Result(gold, hits)], [k], intervals=Intervals("none")).items()}


@given(golds, lists, ranks)
def test_every_value_lies_between_0_and_1(parts, ids, k) -> None:
    for name, value in values(made(parts), ids, k).items():
        if ids or name != "returned_precision":
            assert isinstance(value, int | float), name
            assert 0 <= value <= 1, name


@given(golds, lists, ranks)
def test_repeating_entries_further_down_changes_nothing(parts, ids, k) -> None:
    assert values(made(parts), ids + ids[::2], k) == values(made(parts), ids, k)


@given(st.lists(st.tuples(golds, lists), min_size=2, max_size=4), ranks, st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_nothing(rows, k, random) -> None:
    results = []
    for number, (parts, ids) in enumerate(rows):
        gold = made(parts, f"q{number}")
        results.append(Result(gold, hits_of(gold, ranked_list(ids).ids)))
    once = ranking_measures(results, [k], intervals=Intervals("none"))
    random.shuffle(results)
    again = ranking_measures(results, [k], intervals=Intervals("none"))
    assert {n: m.ratio for n, m in once.items()} == {n: m.ratio for n, m in again.items()}


@given(golds, lists, ranks)
def test_a_longer_look_finds_no_less(parts, ids, k) -> None:
    gold = made(parts)
    near, far = values(gold, ids, k), values(gold, ids, k + 3)
    for name in ("recall", "mean_recall", "all", "success", "mrr", "ap"):
        assert near[f"{name}@{k}"] <= far[f"{name}@{k + 3}"] + 1e-12


@given(golds, lists, ranks)
def test_moving_a_relevant_entry_up_lowers_no_value(parts, ids, k) -> None:
    gold = made(parts)
    distinct = list(dict.fromkeys(ids))
    relevant = hits_of(gold, distinct).relevant
    moved = [r for r in relevant if r > 1 and r - 1 not in relevant]
    if not moved:
        return
    at = moved[0] - 1
    better = [*distinct[: at - 1], distinct[at], distinct[at - 1], *distinct[at + 1 :]]
    before, after = values(gold, distinct, k), values(gold, better, k)
    assert all(after[name] >= before[name] - 1e-12 for name in before)


@given(golds, ranks)
def test_the_ideal_list_reaches_1(parts, k) -> None:
    by_id = {name: float(grade) for name, grade in parts[0].items()}
    if not by_id:
        return
    gold = made((by_id, []))
    best = sorted(by_id, key=lambda name: -by_id[name])
    found = values(gold, best, k)
    assert found[f"ndcg@{k}"] == 1
    assert found["returned_precision"] == 1
    if k >= len(best):
        assert found[f"ap@{k}"] == found[f"all@{k}"] == 1


@given(golds, st.lists(st.sampled_from(CHUNKS), unique=True, max_size=9), ranks, st.data())
def test_tie_averaged_values_do_not_see_the_order_of_equal_scores(parts, ids, k, data) -> None:
    gold = made(parts)
    scores = sorted(data.draw(st.lists(st.integers(0, 2), min_size=len(ids), max_size=len(ids))), reverse=True)
    shuffled = data.draw(st.permutations(list(zip(ids, scores, strict=True))))
    shuffled.sort(key=lambda row: -row[1])
    first = tied_list(gold, ranked_list(ids, scores))
    second = tied_list(gold, ranked_list([name for name, _ in shuffled], [score for _, score in shuffled]))
    plain = Intervals("none")
    for name, value in tie_averaged([first], [k], intervals=plain).items():
        other = tie_averaged([second], [k], intervals=plain)[name]
        if isinstance(value, Undefined):
            assert value == other
        else:
            assert not isinstance(other, Undefined)
            assert abs(value.ratio.numerator - other.ratio.numerator) < 1e-9, name
