"""The two files of a provenance ledger: read strictly, reconciled, and never a gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from answertrail.errors import InputError
from answertrail.experiments.provenance import read_citations, read_provenance, score_provenance
from answertrail.experiments.view.trajectory import provenance_table
from answertrail.metrics.trajectory.definitions import CITED_SHARE
from answertrail.metrics.values import Undefined

LEDGER = '{"id": "g1", "tool": "text"}\n\n{"id": "g2"}\n{"id": "g3"}\n{"id": "g4"}\n'


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "citations",
    ['["g2", "g9", "g2"]', '{"citations": [{"id": "g2"}, {"id": "g9", "note": "x"}]}', '[{"id": "g2"}, "g9"]'],
)
def test_both_shapes_of_citations_and_what_does_not_meet(tmp_path: Path, citations: str) -> None:
    found = score_provenance(
        written(tmp_path, "provenance.jsonl", LEDGER), written(tmp_path, "citations.json", citations)
    )
    assert (found.cited_share.numerator, found.cited_share.denominator) == (1, 4)
    assert (found.cited, found.fabricated) == (("g2", "g9"), ("g9",))
    shown = found.as_json()
    assert shown["measures"]["cited_share"]["value"] == 0.25
    assert shown["measures"]["cited_share"]["definition"] == CITED_SHARE
    assert shown["not_cited"] == ["g1", "g3", "g4"]
    assert CITED_SHARE in provenance_table(found).notes


def test_an_empty_ledger_has_no_share(tmp_path: Path) -> None:
    found = score_provenance(written(tmp_path, "p.jsonl", ""), written(tmp_path, "c.json", "[]"))
    assert found.cited_share.value == Undefined("nothing was retrieved")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (LEDGER + '{"id": "g2"}\n', 6, "'g2' is retrieved twice, first in line 3"),
        ('{"id": "g1"}\n{"name": "g2"}\n', 2, "no `id`"),
        ('{"id": 3}\n', 1, "`id` is not a text"),
        ('{"id": " "}\n', 1, "`id` is not a text"),
        ('"g1"\n', 1, "no `id`"),
        ('{"id": "g1"}\n{"id": NaN}\n', 2, "NaN is not JSON"),
        ('{"id": "g1"\n', 1, "not valid JSON"),
    ],
)
def test_faults_of_a_ledger_name_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, "provenance.jsonl", text)
    with pytest.raises(InputError, match=said) as caught:
        read_provenance(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('["g1",\n\n g2]', ":3", "not valid JSON"),
        ('{"cited": []}', "", "no `citations`"),
        ('"g1"', "", "not a list of citations"),
        ('["g1", 3]', ": citation 1", "no `id`"),
        ('[{"id": null}]', ": citation 0", "`id` is not a text"),
        ("", ":1", "not valid JSON"),
    ],
)
def test_faults_of_citations_name_the_place(tmp_path: Path, text: str, place: str, said: str) -> None:
    path = written(tmp_path, "citations.json", text)
    with pytest.raises(InputError, match=said) as caught:
        read_citations(path)
    assert caught.value.where == f"{path}{place}"


def test_a_file_that_is_not_there_or_not_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_citations(tmp_path / "none.json")
    path = tmp_path / "bytes.json"
    path.write_bytes(b'["g\xff"]')
    with pytest.raises(InputError, match="byte 3 is not UTF-8"):
        read_citations(path)
