"""Numbers in digits and in words are the same numbers."""

from __future__ import annotations

import pytest

from answertrail.agent.numbers import numbers_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost 5,500 and not 3.50.", {"5500", "3.5"}),
        ("two hundred euros", {"200"}),
        ("five thousand five hundred", {"5500"}),
        ("one hundred and twenty-five", {"125"}),
        ("three million", {"3000000"}),
        ("twenty-five people", {"25"}),
        ("in twenty twenty-five", {"2025"}),
        ("in nineteen ninety", {"1990"}),
        ("Seven knives, four forks", {"7", "4"}),
        ("One of us left, and so did the other.", set()),
        ("a hundred times", set()),
        ("no numbers", set()),
    ],
)
def test_numbers_are_read(text, expected):
    assert numbers_in(text) == expected


def test_the_text_that_is_searched_also_lends_the_parts_of_its_numbers():
    assert numbers_in("two hundred and five", parts=True) == {"205", "2", "5"}
