from __future__ import annotations

from answertrail.models.chat.base import AssistantMessage, ToolCall, ToolMessage, UserMessage
from answertrail.models.chat.pairing import NO_RESULT, paired

ASK = UserMessage("ask")
A, B = ToolCall("a", "search", "{}"), ToolCall("b", "search", "{}")


def test_a_complete_conversation_stays_as_it_is() -> None:
    messages = [ASK, AssistantMessage("", (A, B)), ToolMessage("a", "search", "1"), ToolMessage("b", "search", "2")]
    assert paired(messages) == messages


def test_a_result_without_its_call_is_left_out() -> None:
    assert paired([ASK, ToolMessage("a", "search", "1")]) == [ASK]


def test_a_second_result_of_a_call_is_left_out() -> None:
    first, second = ToolMessage("a", "search", "1"), ToolMessage("a", "search", "2")
    assert paired([AssistantMessage("", (A,)), first, second]) == [AssistantMessage("", (A,)), first]


def test_a_call_without_a_result_gets_one() -> None:
    assert paired([AssistantMessage("", (A,)), ASK])[1:] == [ToolMessage("a", "search", NO_RESULT), ASK]


def test_results_follow_their_call_at_once_in_its_order() -> None:
    one, two = ToolMessage("a", "search", "1"), ToolMessage("b", "search", "2")
    assert paired([AssistantMessage("", (A, B)), ASK, two, one])[1:] == [one, two, ASK]


def test_an_id_used_again_belongs_to_the_latest_call() -> None:
    said = AssistantMessage("", (A,))
    one, two = ToolMessage("a", "search", "1"), ToolMessage("a", "search", "2")
    assert paired([said, one, said, two]) == [said, one, said, two]


def test_an_empty_turn_is_left_out() -> None:
    assert paired([ASK, AssistantMessage(" "), ASK]) == [ASK, ASK]
