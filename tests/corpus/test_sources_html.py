"""Saved web pages: the words of their main part, what they say about themselves, and hostile ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answertrail.corpus.discovery import discover
from answertrail.corpus.sources import Failure, Read, read
from answertrail.errors import InputError
from tests.corpus.conftest import Files, Folder
from tests.soak import rounds

pytest.importorskip("trafilatura", reason="the extra 'documents' is not installed")

Make = Callable[[Files], Folder]
PARAGRAPH = (
    "The kiln was fired for the first time in the spring, and the whole village came to watch the smoke rise over "
    "the orchard. Nobody had expected the glaze to turn green. "
)
ARTICLE = f"""<!DOCTYPE html><html lang="en-us"><head><meta charset="utf-8">
<title>Firing the kiln | Clay Weekly</title>
<meta property="og:title" content="Firing the kiln"><meta property="og:site_name" content="Clay Weekly">
<meta property="article:published_time" content="2024-05-06T23:45:00+0200">
<meta property="article:tag" content="kilns"><meta property="article:tag" content="glaze">
<meta name="author" content="Ann Potter"><meta name="description" content="A first firing.">
<link rel="canonical" href="https://clay.example/firing">
</head><body><nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<main><h1>Firing the kiln</h1><p>{PARAGRAPH}</p>
<aside class="related">Read also: Ten best mugs</aside>
<aside class="footnote">Green means copper.</aside>
<ul><li>wood<li>ash</ul><ol><li>first<li>second</ol>
<table><tr><th>Hour<th>Heat<tr><td>1<td>200</table>
<pre>if x &lt; 3 and y &gt; 4:
    stop()</pre><p>{PARAGRAPH}{PARAGRAPH}</p></main>
<footer>Copyright Clay Weekly, all rights reserved</footer><script>var tracking = 1;</script></body></html>"""


def test_a_page_gives_its_main_text_and_what_it_says_about_itself(make: Make) -> None:
    document = make({"firing.html": ARTICLE}).one().document
    assert (document.id, document.title, document.language) == ("firing", "Firing the kiln", "en-US")
    assert (document.published_at, document.published_at_source) == (
        "2024-05-06T23:45:00+02:00",
        "article:published_time",
    )
    assert document.url == "https://clay.example/firing"
    assert (document.tags, document.description) == (["kilns", "glaze"], "A first firing.")
    assert document.meta == {"authors": ["Ann Potter"], "site": "Clay Weekly"}
    text = document.text or ""
    assert text.startswith("# Firing the kiln\n\nThe kiln was fired")
    for kept in ("- wood\n- ash", "1. first\n2. second", "Hour | Heat\n1 | 200", "Green means copper."):
        assert kept in text
    assert "if x < 3 and y > 4:\n    stop()" in text
    for left in ("About us", "Ten best mugs", "Copyright", "tracking"):
        assert left not in text


def test_a_page_that_marks_nothing_keeps_its_article_and_loses_its_menus(make: Make) -> None:
    page = ARTICLE.replace("<main>", "<div class='post-content'>").replace("</main>", "</div>")
    text = make({"firing.html": page}).one().document.text or ""
    assert text.count("Nobody had expected the glaze to turn green.") == 3
    assert "About us" not in text
    assert "tracking" not in text


def test_a_page_of_which_little_is_taken_says_so(make: Make) -> None:
    menu = "".join(f"<li><a href='/{n}'>Category number {n} of the shop</a></li>" for n in range(60))
    text = f"<p>{PARAGRAPH}</p><p>Later it cooled, and the bowls were counted.</p>"
    result = make({"a.html": f"<body><ul class='menu'>{menu}</ul><div class='post-content'>{text}</div>"}).one()
    assert "Category" not in (result.document.text or "")
    assert "the bowls were counted" in (result.document.text or "")
    assert result.notes == ("taken as the main text: 40 of the 460 words on the page",)


def test_a_short_page_without_any_mark_is_kept_whole(make: Make) -> None:
    result = make({"note.html": "<p>Buy <b>clay</b>.</p><p>Call Ann.</p>"}).one()
    assert result.document.text == "Buy clay.\n\nCall Ann."
    assert result.document.title == "Note"
    assert (result.document.published_at, result.document.url) == (None, None)


def test_soft_hyphens_are_no_part_of_a_word_and_odd_tags_no_end(make: Make) -> None:
    # trafilatura 2.3 breaks off at this tag.
    page = f'<div><p>{PARAGRAPH}<hi rend="uppercase">Tem&shy;pera&shy;ture.</hi></p><p>{PARAGRAPH}</p></div>'
    assert "Temperature." in (make({"a.html": page}).one().document.text or "")


@pytest.mark.parametrize(
    ("head", "date", "source"),
    [
        ('<meta name="date" content="2024-05-06">', "2024-05-06", "date"),
        ('<meta name="DC.date.issued" content="2024-05-06">', "2024-05-06", "dc.date.issued"),
        ('<meta itemprop="datePublished" content="2024-05-06T10:00:00.000Z">', "2024-05-06T10:00:00.000Z",
         "datepublished"),
        ('<meta property="article:modified_time" content="2024-05-06">', None, None),
        ('<meta name="date" content="yesterday">', None, None),
        ("<time datetime='2024-05-06'>", None, None),
        ("<time itemprop='datePublished' datetime='2024-05-06'>", "2024-05-06", "time datetime"),
        ("", None, None),
    ],
)  # fmt: skip
def test_dates_are_those_the_page_states(make: Make, head: str, date: str | None, source: str | None) -> None:
    page = f"<html><head>{head}</head><body><p>Updated on 1 January 2011. {PARAGRAPH}</p></body></html>"
    document = make({"a.html": page}).one().document
    assert (document.published_at, document.published_at_source) == (date, source)


@pytest.mark.parametrize(
    ("data", "date"),
    [
        ({"@type": "NewsArticle", "datePublished": "2024-05-06T10:00:00Z"}, "2024-05-06T10:00:00Z"),
        ({"@graph": [{"@type": "WebPage", "datePublished": "2020-01-01"},
                     {"@type": ["Article"], "datePublished": "2024-05-06"}]}, "2024-05-06"),
        ([{"@type": "Article", "url": "https://a.example/1", "datePublished": "2024-05-06"},
          {"@type": "Article", "url": "https://a.example/2", "datePublished": "2023-05-06"}], "2024-05-06"),
        ([{"@type": "Article", "datePublished": "2024-05-06"},
          {"@type": "Article", "datePublished": "2023-05-06"}], None),
        ({"@type": "Person", "datePublished": "2024-05-06"}, None),
        ("not an object", None),
    ],
)  # fmt: skip
def test_linked_data_dates_the_page_or_nothing_when_it_names_several(make: Make, data: object, date: str) -> None:
    page = (
        '<head><link rel="canonical" href="https://a.example/1">'
        f'<script type="application/ld+json">{json.dumps(data)}</script></head><p>{PARAGRAPH}</p>'
    )
    document = make({"a.html": page}).one().document
    assert document.published_at == date


def test_broken_linked_data_is_no_reason_to_lose_the_page(make: Make) -> None:
    page = f'<script type="application/ld+json">{{"@type":</script><p>{PARAGRAPH}</p>'
    assert "kiln" in (make({"a.html": page}).one().document.text or "")


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        ("<meta charset=windows-1251><p>мельница у реки</p>".encode("cp1251"), "мельница"),
        ("<meta http-equiv=Content-Type content='text/html; charset=EUC-KR'><p>가마 일지</p>".encode("cp949"), "가마"),
        ("<?xml version='1.0' encoding='shift_jis'?><html><p>窯の日誌</p></html>".encode("cp932"), "窯の日誌"),
        ("<meta charset=iso-8859-1><p>He said “go”</p>".encode("cp1252"), "“go”"),
        ("<meta charset=iso-8859-7><p>kiln “go”</p>".encode(), "“go”"),
        ("\ufeff<p>קרמיקה</p>".encode("utf-16"), "קרמיקה"),
        ("<meta charset=no-such-thing><p>glaçure</p>".encode(), "glaçure"),
    ],
)
def test_encodings_as_browsers_read_them(make: Make, raw: bytes, word: str) -> None:
    assert word in (make({"a.html": raw}).one().document.text or "")


def test_a_page_saved_whole_is_one_document_without_its_frames(make: Make) -> None:
    saved = "<!-- saved from url=(0025)https://clay.example/kiln -->\n<!DOCTYPE html>"
    found = make(
        {
            "Kiln.html": f"{saved}<p>{PARAGRAPH}</p>",
            "Kiln_files/ad.html": "<p>Buy mugs now.</p>",
            "Kiln_files/deep/frame.html": "<p>Buy more mugs.</p>",
            "other_files/kept.html": "<p>These files are a folder of someone's own.</p>",
        }
    )
    documents = {r.document.id: r.document for r in found.results() if isinstance(r, Read)}
    assert sorted(documents) == ["Kiln", "kept"]
    assert documents["Kiln"].url == "https://clay.example/kiln"


def test_mhtml_is_the_page_within(make: Make) -> None:
    archive = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://clay.example/kiln\r\nSubject: Kiln\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n"
        "Content-Location: https://clay.example/kiln\r\n\r\n"
        "<html><head><title>K=C3=BCln</title></head><body><p>The gl=C3=A4ze turned gre=\r\nen.</p></body></html>\r\n"
        "--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
    )
    document = make({"kiln.mhtml": archive}).one().document
    assert (document.title, document.url) == ("Küln", "https://clay.example/kiln")
    assert document.text == "The gläze turned green."
    failure = make({"kiln.mhtml": "Content-Type: image/png\r\n\r\nxx"}).failure()
    assert failure.reason == "the MHTML file holds no HTML page"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"<html><body><script>x()</script></body></html>", "the page holds no text"),
        (b"abc\0def", "the file is binary (it holds NUL bytes)"),
    ],
)
def test_pages_without_words_fail_with_a_reason(make: Make, content: bytes, reason: str) -> None:
    assert make({"a.html": content}).failure().reason == reason


def test_without_the_packages_files_are_left_aside_and_say_what_to_install(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.util import find_spec

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "trafilatura" else find_spec(name))
    folder = make({"a.html": ARTICLE, "b.md": "Words."})
    found = folder.discover()
    assert [group.id for group in found.groups] == ["b"]
    (skipped,) = found.skipped
    assert skipped.reason == (
        "HTML is read with trafilatura, which is not installed: pip install 'answertrail[documents]'"
    )
    with pytest.raises(InputError, match=r"pip install 'answertrail\[documents\]'"):
        discover([folder.root / "a.html"])


def test_a_format_of_ones_own_is_read_where_it_is_registered(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from answertrail.corpus.sources import formats

    def convert(path: Path) -> formats.Converted:
        return formats.Converted(path.read_text().upper())

    monkeypatch.setattr(formats, "FORMATS", formats.FORMATS)
    formats.FORMATS.append(formats.Format("SHOUT", (".shout",), convert))
    try:
        assert make({"a.shout": "words"}).one().document.text == "WORDS"
    finally:
        formats.FORMATS.pop()


@pytest.mark.parametrize(
    "content",
    [
        "<div>" * 100_000, "<table><tr><td>" * 30_000, "<b><i>" * 50_000, "<" * 300_000, "&amp" * 100_000,
        "<!--" * 100_000, "<p " + "a=b " * 100_000, "<ul><li>" * 30_000 + "x", "<a href='" * 100_000,
        "<meta " * 100_000, "<script type='application/ld+json'>" + "[" * 100_000, "<pre>" * 30_000 + "x",
        "<article>" * 2_000 + "x", "<main>x</main>" * 2_000, "<title>" * 50_000, "<p>x\x00y\ud800</p>",
    ],
    ids=lambda content: repr(content[:12]),
)  # fmt: skip
def test_hostile_pages_end_in_a_document_or_a_failure(make: Make, content: str) -> None:
    folder = make({"a.html": content.encode("utf-8", "surrogatepass")})
    (result,) = folder.results()
    assert isinstance(result, Read) or result.reason


_PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<div>", "</div>", "<table>", "<tr>", "<td>", "</table>", "<ul>", "<li>", "</ul>", "<pre>",
        "</pre>", "<h1>", "</h1>", "<main>", "</main>", "<article>", "<nav>", "<br>", "<!-- x -->", "<![CDATA[y]]>",
        "word ", "two words. ", "\n", "\t", "&nbsp;", "&#0;", "&lt;b&gt;", "<script>", "</script>", "<svg>", "</svg>",
        "<meta charset=utf-7>", "<title>t</title>", "<time pubdate datetime=2024-01-01>", "<base href=x>", "<?pi?>",
        "<link rel=canonical href='http://[::1'>", "<p hidden>", "<aside>", "가마", "\x0b", "\x01", "<frameset>",
        "<a:b<c>", "<x:>", "<p:p>",
    ]
)  # fmt: skip


@settings(max_examples=rounds(ci=60, soak=3000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(st.binary(max_size=300), st.lists(_PIECES, max_size=40).map(lambda p: "".join(p).encode())))
def test_any_page(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.html"
    path.write_bytes(data)
    found = discover([path])
    for result in [*found.failed, *(r for group in found.groups for r in read(group))]:
        assert isinstance(result, Read | Failure)
        if isinstance(result, Read):
            assert (result.document.text or "").strip()
        else:
            assert "crashed" not in result.reason
            assert "cannot be read: " not in result.reason


def words_of_markup(markup: str) -> list[str]:
    """The words of simple markup by a way that shares no code with ours."""
    import html
    import re

    return html.unescape(re.sub(r"<[^>]+>", " ", markup)).split()


@settings(max_examples=rounds(ci=40, soak=2000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p", "div", "h2", "li", "td", "blockquote", "pre", "span", "em", "dt", "code"]),
            st.text(alphabet="abcé가 .,", min_size=1, max_size=30),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_no_word_of_marked_text_is_lost_or_doubled(parts: list[tuple[str, str]]) -> None:
    from answertrail.corpus.sources.html import Page, converted

    body = " ".join(f"<{tag}>{text}</{tag}>" for tag, text in parts)
    if not words_of_markup(body):
        return
    text = converted(Page(f"<main>{body}</main>")).text
    said = [word for word in text.split() if word not in ("-", "##", "|")]
    assert said == [word for word in words_of_markup(body) if word not in ("-", "##", "|")]


@pytest.mark.parametrize(("levels", "readable"), [(300, True), (2000, True), (200_000, False)])
def test_a_deep_page_is_read_whole_or_says_that_it_is_too_deep(make: Make, levels: int, readable: bool) -> None:
    markup = "<html><body>" + "<div>" * levels + "<p>The kiln is in the barn.</p>" + "</div>" * levels + "<p>End.</p>"
    (result,) = make({"a.html": markup}).results()
    if readable:
        assert isinstance(result, Read)
        assert "kiln is in the barn" in result.document.words()
        assert "End." in result.document.words()
    else:
        assert isinstance(result, Failure)
        assert "nested too deeply" in result.reason
