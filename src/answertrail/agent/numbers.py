"""The numbers of a text, in digits or in English words, as plain decimal strings."""

from __future__ import annotations

from answertrail.search.tokens import stem, words

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_SMALL = {word: value for value, word in enumerate(_UNITS.split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL |= {word: value * 10 for value, word in enumerate(_TENS.split(), 2)}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}


def numbers_in(text: str, *, parts: bool = False) -> set[str]:
    """Return the numbers of a text: `5,500` and `five thousand five hundred` are both `5500`.

    A lone `one` is a pronoun more often than a number and is left out, and so are lone `hundred`
    and above. With `parts`, the parts of a number in words count as well, which is generous and
    meant for the text that is searched, not for the claim. `3.50` is `3.5`.
    """
    found: set[str] = set()
    run: list[str] = []
    for word in [*words(text), ""]:
        folded = word.casefold()
        if folded in _SMALL or (folded in _LARGE and run) or (folded == "and" and run and run[-1] in _LARGE):
            run.append(folded)
            continue
        if run:
            found |= _values(run, parts=parts)
            run = []
        if word[:1].isdigit():
            found.add(_digits(stem(word)))
    return found


def is_number_word(word: str) -> bool:
    """Whether a word is part of a number in words."""
    folded = word.casefold()
    return folded in _SMALL or folded in _LARGE


def _digits(number: str) -> str:
    whole, point, decimals = number.partition(".")
    return number if not decimals.isdigit() else f"{whole}{point}{decimals.rstrip('0')}".rstrip(".")


def _values(run: list[str], *, parts: bool) -> set[str]:
    out = {_value(run)} if run != ["one"] else set()
    if parts:
        out |= {str(_SMALL[word]) for word in run if word in _SMALL}
    return out


def _value(run: list[str]) -> str:
    """Add up number words: a multiplier takes what stands before it; `twenty twenty-five` is a year."""
    groups = _groups(run)
    if len(groups) == 2 and not any(word in _LARGE for word in run):
        return f"{groups[0]}{groups[1]:02}"
    total = current = 0
    for word in run:
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _LARGE:
            total += max(current, 1) * _LARGE[word]
            current = 0
    return str(total + current)


def _groups(run: list[str]) -> list[int]:
    """Cut number words where a new number must begin: after a unit, or at a second ten."""
    groups: list[int] = []
    for word in run:
        value = _SMALL.get(word, 0)
        fits = groups and groups[-1] >= 20 and groups[-1] % 10 == 0 and 0 < value < 10
        if fits:
            groups[-1] += value
        else:
            groups.append(value)
    return groups
