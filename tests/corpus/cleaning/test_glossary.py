from __future__ import annotations

import random

import pytest

from answertrail.corpus.cleaning.glossary import Glossary, read_glossary
from answertrail.errors import InputError, NotFoundError
from tests.soak import rounds

PLAIN = """# what the captions get wrong
cube net ease -> Kubernetes

 see plus  plus → C++
"""
CSV = "heard,written\ncube net ease,Kubernetes\n\nsee plus plus, C++\n"
YAML = "cube net ease: Kubernetes\nC++: [see plus plus]\n"


@pytest.fixture
def written(tmp_path):
    def write(name: str, text: str | bytes):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(("name", "text"), [("g.txt", PLAIN), ("g.csv", CSV), ("g.yaml", YAML), ("g", PLAIN)])
def test_three_ways_to_write_one_glossary(written, name, text):
    glossary = read_glossary(written(name, text))
    assert [str(term) for term in glossary.terms] == ["cube net ease -> Kubernetes", "see plus plus -> C++"]
    assert glossary.hash == read_glossary(written("other.txt", PLAIN)).hash != ""


def test_an_empty_file_is_the_empty_glossary(written):
    for name in ("g.txt", "g.csv", "g.yaml"):
        assert read_glossary(written(name, "")) == Glossary()
    assert Glossary().hash == ""


def test_terms_are_heard_in_any_case_and_the_longest_counts(written):
    glossary = read_glossary(written("g.txt", "net -> Net\nCube net ease -> Kubernetes\n"))
    assert [str(t) for t in glossary.heard_in(["the cube, net ease", "nothing"])] == ["Cube net ease -> Kubernetes"]
    assert [t.heard for t in glossary.heard_in(["a net and cube net ease"])] == ["Cube net ease", "net"]
    assert glossary.heard_in(["a network"]) == ()


@pytest.mark.parametrize(
    ("name", "text", "message", "where"),
    [
        ("g.txt", "a -> b\nno arrow\n", "no glossary entry: 'no arrow'", "g.txt:2"),
        ("g.txt", "a -> b -> c\n", "no glossary entry", "g.txt:1"),
        ("g.txt", "a -> \n", "without a word", "g.txt:1"),
        ("g.txt", "a -> b\nA -> c\n", "'A' is to be written 'b' and 'c'", "g.txt:2"),
        ("g.csv", "a,b\na\n", "1 columns", "g.csv:2"),
        ("g.csv", 'a,"b\n', "no CSV", "g.csv:"),
        ("g.yaml", "a: [b\n", "no YAML", "g.yaml:"),
        ("g.yaml", "- a\n", "no mapping", "g.yaml"),
        ("g.yaml", "a: 1\n", "no glossary entry: 'a': 1", "g.yaml"),
        ("g.yaml", "a: {b: c}\n", "no glossary entry", "g.yaml"),
        ("g.yaml", "a: !!bool x\n", "no YAML", "g.yaml"),
        ("g.yaml", "a: !!int ''\n", "no YAML", "g.yaml"),
        ("g.yaml", "a: !!timestamp x\n", "no YAML", "g.yaml"),
        ("g.yaml", "a: &x [*x]\n", "no glossary entry: 'a'", "g.yaml"),
        ("g.txt", b"\xff\xfe", "not UTF-8", "g.txt"),
    ],
)
def test_faults_name_file_and_line(written, name, text, message, where):
    with pytest.raises(InputError) as caught:
        read_glossary(written(name, text))
    assert message in caught.value.message
    assert where in str(caught.value.where)


def test_a_glossary_of_aliases_is_not_written_out(written):
    # Twenty lines that would be 10 ** 20 words.
    lines = ["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 21))]
    with pytest.raises(InputError, match="no glossary entry") as caught:
        read_glossary(written("g.yaml", "\n".join(lines)))
    assert len(caught.value.message) < 1000


PARTS = ("->", "→", ",", '"', "\n", ": ", "[", "]", "{", "&a ", "*a", "!!int ", "!!bool ", "? ", "- ", "| ", "#", "'")
PARTS += ("\0", "\ufeff", "\u2028", "٣", "İ", "ß", "n't", "a", "  ", "\x85", "ċ̣", "가")


@pytest.mark.parametrize(("name", "text"), [("g.txt", PLAIN), ("g.csv", CSV), ("g.yaml", YAML)])
def test_whatever_is_written_is_a_glossary_or_a_fault_with_its_place(written, name, text):
    rng, read, places = random.Random(name), 0, []
    for _ in range(rounds(400, 5_000)):
        signs = list(text)
        for _ in range(rng.randrange(1, 8)):
            at = rng.randrange(len(signs))
            signs[at : at + rng.randrange(3)] = [rng.choice(PARTS)]
        try:
            glossary = read_glossary(written(name, "".join(signs)))
        except InputError as error:
            places.append(str(error.where))
            continue
        read += 1
        assert glossary.heard_in(term.heard for term in glossary.terms) == glossary.terms
    assert read > 20
    assert len(places) > 20
    assert all(name in place for place in places)


def test_a_missing_file(tmp_path):
    with pytest.raises(NotFoundError, match="cannot be read"):
        read_glossary(tmp_path / "none.txt")
