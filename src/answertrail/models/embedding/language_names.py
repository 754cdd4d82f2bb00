"""Codes of languages: their English names, and the codes that mean the same language."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGE_NAMES: Mapping[str, str] = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "bo": "Tibetan", "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ja": "Japanese", "jv": "Javanese", "ka": "Georgian", "kk": "Kazakh", "km": "Khmer", "kn": "Kannada",
    "ko": "Korean", "ky": "Kyrgyz", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian",
    "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "my": "Burmese", "ne": "Nepali",
    "nl": "Dutch", "no": "Norwegian", "or": "Odia", "pa": "Punjabi", "pl": "Polish", "ps": "Pashto",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian",
    "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "te": "Telugu",
    "tg": "Tajik", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek",
    "vi": "Vietnamese", "yi": "Yiddish", "zh": "Chinese",
}  # fmt: skip

# ISO 639-2 and 639-3, withdrawn codes, and those of a written standard that is read as another's.
_ALSO = {
    "af": "afr", "am": "amh", "ar": "ara arb", "az": "aze", "be": "bel", "bg": "bul", "bn": "ben", "bo": "bod tib",
    "bs": "bos", "ca": "cat", "cs": "ces cze", "cy": "cym wel", "da": "dan", "de": "deu ger", "el": "ell gre",
    "en": "eng", "es": "spa", "et": "est", "eu": "eus baq", "fa": "fas per pes prs", "fi": "fin", "fr": "fra fre",
    "ga": "gle", "gl": "glg", "gu": "guj", "he": "heb iw", "hi": "hin", "hr": "hrv", "hu": "hun", "hy": "hye arm",
    "id": "ind in", "is": "isl ice", "it": "ita", "ja": "jpn", "jv": "jav jw", "ka": "kat geo", "kk": "kaz",
    "km": "khm", "kn": "kan", "ko": "kor", "ky": "kir", "lo": "lao", "lt": "lit", "lv": "lav", "mk": "mkd mac",
    "ml": "mal", "mn": "mon", "mr": "mar", "ms": "msa may zsm", "my": "mya bur", "ne": "nep", "nl": "nld dut",
    "no": "nor nob nno nb nn", "or": "ori ory", "pa": "pan", "pl": "pol", "ps": "pus", "pt": "por", "ro": "ron rum mo",
    "ru": "rus", "si": "sin", "sk": "slk slo", "sl": "slv", "sq": "sqi alb", "sr": "srp", "sv": "swe", "sw": "swa swh",
    "ta": "tam", "te": "tel", "tg": "tgk", "th": "tha", "tl": "tgl fil", "tr": "tur", "uk": "ukr", "ur": "urd",
    "uz": "uzb uzn", "vi": "vie", "yi": "yid ji", "zh": "zho chi cmn yue",
}  # fmt: skip
_SAME = {other: code for code, others in _ALSO.items() for other in others.split()}


def usual_code(code: str) -> str:
    """Return the code a language is known by here: `en` for `eng`, `no` for `nb`, `zh` for `yue`.

    `code` is a primary subtag in lower case; one without another comes back as it is.
    """
    return _SAME.get(code, code)
