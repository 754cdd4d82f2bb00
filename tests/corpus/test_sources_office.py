"""PDF, DOCX and EPUB: their words, what they say about themselves, and hostile files."""

from __future__ import annotations

import io
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, archive, read
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.worker import Worker
from tests.corpus.conftest import Files, Folder
from tests.soak import rounds

pytest.importorskip("mammoth", reason="the extra 'documents' is not installed")
pypdf = pytest.importorskip("pypdf", reason="the extra 'documents' is not installed")

Make = Callable[[Files], Folder]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped_file:
        for name, content in members.items():
            zipped_file.writestr(name, content)
    return out.getvalue()


def pdf(pages: list[list[str]], info: str = "", extra: str = "") -> bytes:
    """A PDF written by hand: each page a list of lines of ASCII."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {extra} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td {shown}ET" if lines else "0 0 10 10 re f"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< {info} >>")
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return out.encode("latin-1")


def docx(body: str, core: str = "", **more: str | bytes) -> bytes:
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{rel}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f'<w:styles {W}><w:style w:type="paragraph" w:styleId="Heading1">'
        '<w:name w:val="heading 1"/></w:style></w:styles>',
    }
    if core:
        members["docProps/core.xml"] = (
            '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
            f'{DC} xmlns:dcterms="http://purl.org/dc/terms/">{core}</cp:coreProperties>'
        )
    return zipped(members | {name.replace("__", "/"): text for name, text in more.items()})


def para(text: str, style: str = "") -> str:
    mark = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{mark}<w:r><w:t>{text}</w:t></w:r></w:p>"


CHAPTER = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'


def epub(chapters: list[str], metadata: str = "", **more: str | bytes) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="text/c%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    refs = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    members: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf" {DC}><metadata>{metadata}</metadata>'
        '<manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        f'{items}</manifest><spine><itemref idref="nav"/>{refs}</spine></package>',
        "OEBPS/nav.xhtml": CHAPTER.format("<nav>Contents: One, Two</nav>"),
    }
    for n, body in enumerate(chapters):
        members[f"OEBPS/text/c {n}.xhtml"] = CHAPTER.format(body)
    return zipped(members | {name.replace("__", "/"): text for name, text in more.items()})


def test_a_pdf_gives_its_pages_and_says_where_each_begins(make: Make) -> None:
    info = "/Title (Firing a kiln) /Author (Ann Potter) /CreationDate (D:20240506104500+02'00')"
    raw = pdf([["The kiln was fired.", "It was hot."], [], ["The glaze turned green."]], info, "/Lang (en-GB)")
    result = make({"kiln.pdf": raw}).one()
    document = result.document
    assert document.text == "The kiln was fired.\nIt was hot.\n\nThe glaze turned green."
    assert (document.title, document.language) == ("Firing a kiln", "en-GB")
    assert (document.published_at, document.published_at_source) == ("2024-05-06T08:45:00Z", "PDF CreationDate")
    third = document.text.index("The glaze")
    assert document.meta == {"authors": ["Ann Potter"], "page_starts": [0, third, third]}
    assert result.notes == ("1 of 3 pages hold no text (pictures?)",)


def test_a_day_in_the_name_is_believed_before_the_day_the_file_was_made(make: Make) -> None:
    raw = pdf([["Words."]], "/CreationDate (D:20240506104500Z)")
    document = make({"2011-02-03 minutes.pdf": raw}).one().document
    assert (document.published_at, document.published_at_source) == ("2011-02-03", "file name")


@pytest.mark.parametrize("title", ["Microsoft Word - draft.doc", "untitled", "report_final.pdf", "PowerPoint"])
def test_titles_that_nobody_gave_are_none(make: Make, title: str) -> None:
    assert make({"the-kiln.pdf": pdf([["Words."]], f"/Title ({title})")}).one().document.title == "The kiln"


def test_words_cut_at_a_line_end_are_mended_and_hyphens_kept(make: Make) -> None:
    lines = ["The tempera-", "ture of a wood-fired kiln; wood-", "fired ones are hot. Saint-", "Malo has one."]
    text = make({"a.pdf": pdf([lines])}).one().document.text
    assert text == "The temperature of a wood-fired kiln; wood-fired ones are hot. Saint-Malo has one."


def test_letters_set_as_one_are_letters_again(make: Make) -> None:
    assert make({"a.pdf": pdf([["the \\256rst \\257ame"]])}).one().document.text == "the first flame"


def locked(password: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf([["A secret."]])))
    writer.encrypt(password, owner_password="owner", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_password_is_said_and_a_lock_against_printing_only_is_none(make: Make, algorithm: str) -> None:
    failure = make({"a.pdf": locked("hidden", algorithm)}).failure()
    assert failure.reason == "the PDF file is encrypted with a password"
    assert make({"a.pdf": locked("", algorithm)}).one().document.text == "A secret."


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (pdf([[], []]), "holds no text (scanned?)"),
        (b"%PDF-1.7\nnonsense", "not a readable PDF file"),
        (b"not a pdf at all", "not a readable PDF file"),
        (pdf([["x"]])[:150], "not a readable PDF file"),
    ],
)
def test_pdfs_that_give_nothing_say_why(make: Make, raw: bytes, reason: str) -> None:
    assert make({"a.pdf": raw}).failure().reason.startswith(reason)


def test_a_docx_keeps_headings_tables_footnotes_and_inserted_words(make: Make) -> None:
    body = (
        para("Firing", "Heading1")
        + para("The kiln was ")[:-6]
        + f"<w:ins><w:r><w:t>slowly </w:t></w:r></w:ins><w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        f"<w:r><w:t>fired &amp; opened.</w:t></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc>{para('Hour')}</w:tc><w:tc>{para('Heat')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{para('1')}</w:tc><w:tc>{para('200')}</w:tc></w:tr></w:tbl>"
    )
    core = (
        "<dc:title>The kiln</dc:title><dc:creator>Ann Potter</dc:creator><cp:keywords>clay; fire</cp:keywords>"
        "<dc:language>ko-kr</dc:language><dcterms:created>2024-05-06T08:45:00Z</dcterms:created>"
    )
    document = make({"kiln.docx": docx(body, core)}).one().document
    assert document.text == "# Firing\n\nThe kiln was slowly fired & opened.\n\nHour | Heat\n1 | 200"
    assert (document.title, document.language, document.tags) == ("The kiln", "ko-KR", ["clay", "fire"])
    assert (document.published_at, document.published_at_source) == ("2024-05-06T08:45:00Z", "DOCX created")
    assert document.meta == {"authors": ["Ann Potter"]}


def test_footnotes_of_a_docx_stand_below_its_text(make: Make) -> None:
    body = para("Hot.")[:-6] + '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>' + para("Cold.")
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{para("At 200 degrees.")}</w:footnote></w:footnotes>'
    document = make({"a.docx": docx(body, **{"word__footnotes.xml": notes})}).one().document
    assert document.text == "Hot.[1]\n\nCold.\n\n1. At 200 degrees."


def test_a_docx_without_a_title_takes_its_heading(make: Make) -> None:
    assert make({"x.docx": docx(para("Firing", "Heading1") + para("Hot."))}).one().document.title == "Firing"


def test_an_epub_is_read_in_its_order_without_its_table_of_contents(make: Make) -> None:
    metadata = (
        "<dc:title>On Kilns</dc:title><dc:creator>Ann Potter</dc:creator><dc:language>en</dc:language>"
        '<dc:date xmlns:opf="http://www.idpf.org/2007/opf" opf:event="modification">2024-01-01</dc:date>'
        '<dc:date xmlns:opf="http://www.idpf.org/2007/opf" opf:event="publication">2011-02-03</dc:date>'
        "<dc:subject>clay</dc:subject>"
    )
    raw = epub(["<h1>One</h1><p>The&nbsp;kiln <i>was</i> fired.</p>", "<h1>Two</h1><p>Caf&eacute;.</p>"], metadata)
    document = make({"kilns.epub": raw}).one().document
    assert document.text == "# One\n\nThe kiln was fired.\n\n# Two\n\nCafé."
    assert (document.title, document.published_at, document.language) == ("On Kilns", "2011-02-03", "en")
    assert document.published_at_source == "EPUB date of publication"
    assert document.tags == ["clay"]
    assert document.meta == {
        "authors": ["Ann Potter"],
        "chapters": [{"char_start": 0, "title": "One"}, {"char_start": document.text.index("# Two"), "title": "Two"}],
    }


def test_a_chapter_that_is_no_xml_is_read_as_html_and_a_lost_one_is_said(make: Make) -> None:
    raw = epub(["<p>One <b>bold<p>Two", "<p>Three</p>"])
    assert make({"a.epub": raw}).one().document.text == "One bold\n\nTwo\n\nThree"
    with zipfile.ZipFile(io.BytesIO(raw)) as zipped_file:
        members = {n: zipped_file.read(n) for n in zipped_file.namelist() if n != "OEBPS/text/c 0.xhtml"}
    result = make({"a.epub": zipped(members)}).one()
    assert result.document.text == "Three"
    assert result.notes == ("a chapter is missing: the EPUB file holds no OEBPS/text/c 0.xhtml",)


def test_a_locked_book_is_said_and_hidden_fonts_are_none(make: Make) -> None:
    def encryption(algorithm: str) -> str:
        return f'<encryption><EncryptionMethod Algorithm="{algorithm}"/></encryption>'

    name = "META-INF__encryption.xml"
    drm = epub(["<p>x</p>"], **{name: encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")})
    assert make({"a.epub": drm}).failure().reason == "the EPUB file is locked (DRM)"
    fonts = epub(["<p>x</p>"], **{name: encryption("http://www.idpf.org/2008/embedding")})
    assert make({"a.epub": fonts}).one().document.text == "x"


LAUGHS = "<!DOCTYPE l [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 20}'>" for n in range(12)
)


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("a.docx", b"PK\x03\x04 broken", "not a readable DOCX file"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "an encrypted DOCX file, or an old DOC file"),
        ("a.docx", zipped({"x.txt": "no document"}), "no Word document: its main part is missing"),
        ("a.docx", docx(""), "the DOCX file holds no text"),
        ("a.docx", docx("", **{"word__document.xml": f"{LAUGHS}]><l>&m;</l>"}), "defines entities"),
        ("a.epub", zipped({"x.txt": "no book"}), "the EPUB file holds no META-INF/container.xml"),
        ("a.epub", epub(["<p></p>"]), "the EPUB file holds no text"),
        ("a.epub", epub([f"{LAUGHS}]><p>&m;</p>"]), "defines entities"),
        ("a.epub", epub(["x"], **{"META-INF__container.xml": "<container/>"}), "names no book"),
        ("a.epub", b"", "not a readable EPUB file"),
    ],
)
def test_broken_archives_say_why(make: Make, name: str, raw: bytes, reason: str) -> None:
    assert reason in make({name: raw}).failure().reason


def test_zip_bombs_are_not_unpacked(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = docx("", **{"word__document.xml": b"0" * (65 * 2**20)})
    assert len(bomb) < 2**20
    assert "more than 64 MB" in make({"a.docx": bomb}).failure().reason
    path = tmp_path / "a.epub"
    path.write_bytes(epub(["x" * 900, "y" * 900], **{"picture.png": b"0" * 5000}))
    monkeypatch.setattr(archive, "MAX_TEXT_BYTES", 2000)
    with pytest.raises(SourceFault, match="unpacks to more than"):
        archive.Archive(path, "EPUB")
    monkeypatch.setattr(archive, "MAX_TEXT_BYTES", 4000)
    archive.Archive(path, "EPUB").close()
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    with pytest.raises(SourceFault, match="more than 3 parts"):
        archive.Archive(path, "EPUB")


def test_a_member_that_says_it_is_small_is_unpacked_no_further_than_that(tmp_path: Path) -> None:
    said, held = 1000, 32 * 2**20
    raw = bytearray(zipped({"a.xml": b"0" * held}))
    sizes = struct.pack("<I", held)
    assert raw.count(sizes) == 2
    (tmp_path / "a.docx").write_bytes(raw.replace(sizes, struct.pack("<I", said)))
    with archive.Archive(tmp_path / "a.docx", "DOCX") as opened:
        tracemalloc.start()
        with pytest.raises(SourceFault, match=r"a\.xml cannot be unpacked: Bad CRC"):
            opened.read("a.xml")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 2**20


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_to_pack_that_the_formats_do_not_know_are_not_unpacked(tmp_path: Path, packing: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w", packing) as made:
        made.writestr("a.xml", "<a/>")
    with archive.Archive(tmp_path / "a.docx", "DOCX") as opened, pytest.raises(SourceFault, match="packed in a way"):
        opened.read("a.xml")


def test_of_a_page_a_book_and_a_pdf_of_one_name_one_is_read(make: Make) -> None:
    found = make({"a.pdf": pdf([["x"]]), "a.epub": epub(["<p>x</p>"]), "a.docx": docx(para("x"))}).discover()
    assert [group.path.name for group in found.groups] == ["a.epub"]
    assert [other.path.name for group in found.groups for other in group.fallbacks] == ["a.docx", "a.pdf"]
    with_words = make({"a.txt": "[00:01] **A**: hi\n[00:02] **B**: ho\n"}).discover()
    assert [group.path.name for group in with_words.groups] == ["a.txt"]


def hang(path: Path) -> object:
    while True:
        path.exists()


def crash(path: Path) -> object:
    import os

    os.abort()


def bloat(path: Path) -> object:
    kept = []
    while True:
        kept.append(bytes(50 * 2**20))


def test_a_reader_that_hangs_crashes_or_bloats_is_one_failure_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    path = tmp_path / "a.html"
    path.write_text("<p>Sound.</p>")
    hasty = Worker(time_limit_s=3.0, memory_limit_bytes=2**30)
    worker = Worker(time_limit_s=60.0, memory_limit_bytes=2**30)  # it may start slowly on a busy machine
    try:
        with pytest.raises(SourceFault, match="takes longer than 3 s"):
            hasty.convert(f"{__name__}:hang", path)
        with pytest.raises(SourceFault, match="crashed"):
            worker.convert(f"{__name__}:crash", path)
        with pytest.raises(SourceFault, match="more memory than is allowed"):
            worker.convert(f"{__name__}:bloat", path)
        assert worker.convert("answertrail.corpus.sources.html:convert", path).text == "Sound."
    finally:
        hasty.close()
        worker.close()


SOUND = {
    ".pdf": pdf([["The kiln was fired.", "It was hot."], ["Green."]], "/Title (Kiln)"),
    ".docx": docx(para("Firing", "Heading1") + para("The kiln."), "<dc:title>Kiln</dc:title>"),
    ".epub": epub(["<h1>One</h1><p>Fired.</p>", "<p>Two</p>"], "<dc:title>Kilns</dc:title>"),
}


def broken(raw: bytes, chance: random.Random) -> bytes:
    """Cut, flip, double and shuffle parts of a file; of an archive also the members within."""
    if raw.startswith(b"PK") and chance.random() < 0.6:
        with zipfile.ZipFile(io.BytesIO(raw)) as zipped_file:
            members = {name: zipped_file.read(name) for name in zipped_file.namelist()}
        name = chance.choice(sorted(members))
        return zipped(members | {name: broken(members[name], chance)})
    data = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        at, size = chance.randrange(len(data) or 1), chance.randint(1, 40)
        change = chance.randrange(4)
        if change == 0:
            del data[at : at + size]
        elif change == 1:
            data[at : at + size] = chance.randbytes(size)
        elif change == 2:
            data[at:at] = data[at : at + size] * chance.randint(1, 5)
        else:
            data[at : at + 1] = chance.choice([b"<", b">", b"/", b"0", b"99999999999", b"\0", b"(", b"[", b"&"])
    return bytes(data)


@pytest.mark.parametrize("suffix", sorted(SOUND))
def test_broken_files_end_in_a_document_or_a_failure(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    for seed in range(rounds(ci=60, soak=5000)):
        path.write_bytes(broken(SOUND[suffix], random.Random(seed)))
        found = discover([path])
        for result in [*found.failed, *(r for group in found.groups for r in read(group))]:
            if isinstance(result, Read):
                chunks = chunks_of(result.document)
                assert chunks, seed
                assert len({chunk.id for chunk in chunks}) == len(chunks)
            else:
                assert isinstance(result, Failure)
                assert "crashed" not in result.reason, seed
                assert "takes longer" not in result.reason, seed


def test_the_pdf_is_read_when_the_docx_beside_it_is_none(make: Make) -> None:
    failure, result = make({"a.docx": b"junk", "a.pdf": pdf([["The kiln is in the barn."]])}).results()
    assert isinstance(failure, Failure)
    assert isinstance(result, Read)
    assert (Path(failure.source).name, Path(result.source).name) == ("a.docx", "a.pdf")
    assert "kiln" in result.document.words()
