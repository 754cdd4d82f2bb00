"""Which questions are taken for questions about change over time."""

from __future__ import annotations

import pytest

from answertrail.agent.over_time import asks_over_time

YES = [
    "How did the view of electric kilns change over time?",
    "How has their opinion on agents evolved?",
    "How did the speaker's stance on remote work shift?",
    "Did she change her mind about the mill?",
    "What is the history of the kiln?",
    "What was said at first about glazes, and what later?",
    "How was the project described from the early episodes to the latest?",
    "What was said about prices between 2019 and 2023?",
    "Prices 2019–2023?",
    "What did they say about it in 2020, 2021 and 2024?",
    "How does the earlier plan differ from the present one?",
    "Wie hat sich die Meinung zum Brennofen verändert?",
    "Wie entwickelte sich der Preis im Laufe der Jahre?",
    "Comment l'avis sur les fours a-t-il évolué ?",
    "¿Cómo ha cambiado la opinión sobre el horno?",
    "Como a opinião mudou ao longo dos anos?",
    "Come è cambiata l'opinione nel tempo?",
    "Как изменилось отношение к печи со временем?",
    "关于电窑的看法是如何随时间变化的？",
    "電気窯についての考えはどう変わりましたか？",
    "전기 가마에 대한 생각은 어떻게 바뀌었나요?",
    "كيف تغير الرأي مع مرور الوقت؟",
]
NO = [
    "",
    "Where did the kiln go?",
    "How many people carried the kiln?",
    "Who bought the electric kiln in 2024?",
    "What does the wheel cost?",
    "Why does the glaze crawl?",
    "Wo steht der Ofen?",
    "Où est le four ?",
    "가마는 어디에 있나요?",
    "窑在哪里？",
    "What happened in 2021 and in 2022?",
]


@pytest.mark.parametrize("question", YES)
def test_a_question_about_change_is_one(question):
    assert asks_over_time(question)
    assert asks_over_time(question.upper())


@pytest.mark.parametrize("question", NO)
def test_a_question_about_one_fact_is_none(question):
    assert not asks_over_time(question)


def test_a_question_as_long_as_may_be_is_read_at_once():
    assert not asks_over_time("how " * 1000)
    assert not asks_over_time("at first " * 440)
