"""What a question asks for is read from its words alone."""

from itertools import pairwise

import pytest

from answertrail.models.reader.dates import periods, slices
from answertrail.models.reader.plan import content_query
from answertrail.models.reader.question import Slot, analyse


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("How many lamps did the keeper buy?", Slot.COUNT),
        ("How much did the keeper pay for the lamp?", Slot.MONEY),
        ("What percentage of ships turned back?", Slot.SHARE),
        ("How long did the repair take?", Slot.DURATION),
        ("When did the lighthouse open?", Slot.WHEN),
        ("Why did the keeper leave?", Slot.WHY),
        ("Which lamp did the keeper prefer?", Slot.WHICH),
        ("Where was the lens ground?", Slot.WHERE),
    ],
)
def test_the_slot_follows_the_interrogative(text: str, slot: Slot) -> None:
    assert slot in analyse(text).slots


def test_a_pronoun_inside_a_clause_asks_nothing() -> None:
    assert Slot.WHO not in analyse("What happens to somebody who took a loan?").slots


def test_names_are_capitals_inside_the_sentence_and_odd_spellings() -> None:
    assert analyse("Why did Mara sail to 2ndPort with qx()?").names == ("mara", "2ndport", "qx")


def test_the_thing_counted_is_known() -> None:
    assert analyse("How many lamps were sold?").unit[0] == "lamp"
    assert analyse("What is the total supply of coins?").measured == "suppli"


@pytest.mark.parametrize(
    "text",
    [
        "How did the keeper's view of lamps change?",
        "Where was the feast held over the years?",
        "What did they say of oil from 2019 to 2023?",
    ],
)
def test_trajectories_are_recognised(text: str) -> None:
    assert analyse(text).trajectory


def test_the_topic_of_a_trajectory_is_what_changed() -> None:
    asked = analyse("How did the price of lamp oil change from early 2019 to late 2023?")
    assert asked.topic().stems == ("price", "lamp", "oil")
    assert analyse("How did it change over time?").topic().stems


@pytest.mark.parametrize("text", ["How many lamps were sold?", "How much lamp oil was sold?"])
def test_words_of_counting_questions_are_not_searched_for(text: str) -> None:
    assert not {"many", "much"} & set(content_query(text).split())


def test_two_questions_in_one_are_two_parts() -> None:
    assert len(analyse("What was the lamp made of, and who paid for it?").parts) == 2


def test_dates_with_a_year_become_periods() -> None:
    (found,) = periods("said in June 2024")
    assert (found.start, found.end) == ("2024-06-01", "2024-07-01")
    assert periods("late 2024")[0].end == "2025-01-01"
    assert periods("winter 2024")[0].end == "2025-03-01"
    assert periods("in June") == ()


def test_slices_cover_the_span_without_gaps() -> None:
    parts = slices("2024-01-01", "2024-12-31", 4)
    assert parts[0].start == "2024-01-01"
    assert parts[-1].end == "2024-12-31"
    assert all(a.end == b.start for a, b in pairwise(parts))
    assert slices("2024-01-01", "2024-01-01", 4) == ()


def test_an_empty_question_and_a_foreign_one_do_not_fail() -> None:
    assert analyse("").stems == ()
    assert "灯塔" in analyse("灯塔何时开放？").stems


@pytest.mark.parametrize(
    ("text", "trajectory"),
    [
        ("How do I change the mouse pointer size?", False),
        ("How can I change the screen brightness?", False),
        ("How to change the background?", False),
        ("How did Bram's view of the wheel change?", True),
        ("How do the hosts' views on agents change?", True),
    ],
)
def test_a_way_to_change_something_is_no_history_of_change(text: str, trajectory: bool) -> None:
    assert analyse(text).trajectory is trajectory
