"""The commonest words of languages in Latin letters, and letters that English does without."""

from __future__ import annotations

from collections.abc import Mapping


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_WORDS = _set(
    "the of and to in is it that this was for you with are have not but they what we be at as or "
    "his her from there about would which when will my your how"
)
"""A tenth of running English."""

_ENGLISH_TOO = _set(
    "a an i me us he she him our its their them these those who whom whose why where did do does done "
    "can could should may might must shall has had been were if so no nor than then into over under on by "
    "more most some any all use used need set get make made say said also one two new only most mine "
    "man men van hat hats son sons per pas come era dove die dies den dens war wars"
)
EVERYDAY_ENGLISH = ENGLISH_WORDS | _ENGLISH_TOO
"""What shows that a short text is English, or might be."""

ENGLISH_ALONE = _set("the and that this you with they what from there about would which when your how")
"""Common words that no other of the languages here has: a text with one of them is English in part."""


def _but_english(text: str) -> frozenset[str]:
    return _set(text) - EVERYDAY_ENGLISH


COMMON_WORDS: Mapping[str, frozenset[str]] = {
    code: _but_english(text)
    for code, text in {
        "cs": "že jsem jsou byl byla bylo když kdy který jako také nebo ale jeho není už kde proč ve na se co jak řekl",
        "da": "og jeg det ikke af er har til som på hvad hvordan hvorfor når de efter eller blev han om sagde fra",
        "de": "der die das und ist nicht ich wir sie mit für auf ein eine den dem des von zu wie auch sich wurde wann "
        "er über gesagt hat bei",
        "es": "el la los las de que y en un una por para con se del al como qué cómo más fue pero su cuándo dónde "
        "sobre",
        "et": "ja ei kui mis oli seda aga ka siis mida kas selle kuidas miks nii ning olid",
        "fi": "ja ei että joka mutta niin kun hän mitä mikä oli ovat ollut myös miten miksi sekä tai sanoi",
        "fr": "le la les des et est un une du que qui dans pour pas au avec sur ce cette quand comment pourquoi dit",
        "hr": "je na se da su za koji koja nije bio bila kada kako zašto što ali ili sve rekao",
        "hu": "az és egy hogy nem volt ez meg van mint csak már mit mikor hogyan miért amely szerint mondott",
        "id": "yang dan di dari untuk dengan tidak ini itu pada adalah dalam apa bagaimana mengapa akan oleh telah",
        "it": "il lo gli che di un una per non con del della nel sono come quando perché anche ha cosa dove è ed",
        "lt": "ir kad yra buvo ne su į iš apie kaip kodėl kas bet taip jis ji tai",
        "nl": "de het een en van dat niet ik wij met voor op zijn ook maar hoe wanneer waarom wat werd aan bij hij",
        "no": "og jeg det ikke av er har til som på hva hvordan hvorfor når de etter eller ble han om sa fra",
        "pl": "i w na nie się że jest z do jak co dla ale był była czy kiedy dlaczego przez są jego jej powiedział",
        "pt": "o os de que e em um uma por para com não da dos das como quando mais foi mas sua são onde ele ela",
        "ro": "și în la nu o un de că cu pe este sunt care din pentru ce cum când mai fost lui despre spus",
        "sv": "och jag det inte av är har till som på vad hur varför när de efter eller blev han om sa från",
        "sw": "na ya wa kwa ni katika hii hiyo kuwa nini vipi gani lakini pia ambao alisema kama",
        "tl": "ang ng sa na mga ay hindi ito siya ano paano bakit kung para nang may",
        "tr": "ve bir bu için ile ne nasıl neden daha çok olarak olan de da mi ama zaman değil gibi hakkında dedi",
        "vi": "và là của không có được trong cho với này một các những người khi nào như thế đã gì tại sao về nói",
    }.items()
}

OWN_LETTERS: Mapping[str, str] = {
    "cs": "ěřůžšč", "da": "æøå", "de": "äöüß", "es": "ñáéíóú", "et": "õäöü", "fi": "äö", "fr": "éèêçàùœî",
    "hr": "đšžčć", "hu": "őűáé", "it": "àèìòù", "lt": "ėįųūšž", "no": "æøå", "pl": "łąęśźżóć", "pt": "ãõçáéêó",
    "ro": "țșăţşîâ", "sv": "åäö", "tr": "ğışçöü",
    "vi": "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
}  # fmt: skip
