"""Find the documents-to-be in files and folders, before anything is parsed.

Deterministic: the result depends on what is on disk, not on the order of the arguments or of a
directory listing. See docs/sources.md for the rules in words.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answertrail.corpus.source_files import SourceFile, described
from answertrail.corpus.source_lookalikes import without_lookalikes
from answertrail.corpus.source_ranking import Candidate, rank, same_words
from answertrail.corpus.source_walk import Found, walk
from answertrail.corpus.sources.documents import holds_documents
from answertrail.corpus.sources.formats import FORMATS, format_of
from answertrail.corpus.sources.group import PARSER_VERSION, Group, kind_of
from answertrail.corpus.sources.languages import language_code, primary, split_language
from answertrail.corpus.sources.loading import display, fingerprint
from answertrail.corpus.sources.manifest import MANIFEST, Manifests
from answertrail.corpus.sources.outcome import Failure, Skipped, SourceFault
from answertrail.errors import InputError


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found. `ignored` counts files that are no documents and no sidecars.

    `skipped` are files left aside whatever is read; which of a group's `fallbacks` are, shows when
    it is read.
    """

    groups: tuple[Group, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[Failure, ...]
    ignored: int


def discover(sources: Sequence[Path], include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Discovery:
    """Find every document-to-be in `sources`, files or folders.

    `include` and `exclude` are globs on the path relative to the source, on its folders and on
    the name; a file must match one of `include`, if any, and none of `exclude`.

    Raises InputError for a source that does not exist or that holds nothing to read.
    """
    found = walk(sources, include, exclude)
    failed = list(found.failed)
    ignored = found.ignored
    manifests = Manifests()
    documents: list[Group] = []
    files: list[SourceFile] = []
    unread: list[Skipped] = []
    useful: set[Path] = set(found.troubled)
    for item in found.files:
        kind = kind_of(item.path)
        lacking = _lacking(item)
        if kind is None:
            continue
        if lacking is not None:
            unread.append(lacking)
        elif kind == "documents":
            group = _documents(item, failed)
            if group is not None:
                documents.append(group)
            elif not any(failure.source == item.source for failure in failed):
                ignored += item.path.name != MANIFEST
                continue
        else:
            files.append(described(item, kind, manifests, failed))
        useful.update(item.roots)
    for root in found.roots:
        if root not in useful:
            raise InputError(
                "nothing to read here: no transcript, captions, notes or document/1 file",
                where=display(root),
                hint="see docs/sources.md for the kinds of files, and check --include and --exclude",
            )
    groups, skipped = _grouped(files, failed)
    failed.extend(manifests.failed)
    return Discovery(
        groups=tuple(sorted([*groups, *documents], key=lambda g: (g.id or "", g.source))),
        skipped=tuple(sorted([*found.skipped, *skipped, *unread], key=lambda s: (s.source, s.reason))),
        failed=tuple(sorted(failed, key=lambda f: (f.source, f.line or 0, f.reason))),
        ignored=ignored,
    )


def _lacking(item: Found) -> Skipped | None:
    """A file of a format whose packages are not installed is left aside, and says what to install.

    Raises InputError when it was given by name.
    """
    known = format_of(item.path)
    missing = known.missing() if known else None
    if missing is None:
        return None
    if item.explicit:
        raise InputError("cannot be read yet", where=item.source, hint=missing)
    return Skipped(item.source, missing)


def _documents(item: Found, failed: list[Failure]) -> Group | None:
    try:
        if not item.explicit and not holds_documents(item.path):
            return None
        mark = fingerprint([item.path], extra=f"{PARSER_VERSION}\n")
    except SourceFault as fault:
        failed.append(Failure(item.source, fault.line, fault.reason))
        return None
    return Group(None, item.path, item.source, "documents", mark, files=(item.path,))


def _grouped(files: Sequence[SourceFile], failed: list[Failure]) -> tuple[list[Group], list[Skipped]]:
    by_key: dict[tuple[str, str | None], list[SourceFile]] = defaultdict(list)
    skipped: list[Skipped] = []
    for file in _without_translations(list(without_lookalikes(files, failed)), skipped):
        by_key[_stem_and_language(file)].append(file)
    groups: list[Group] = []
    for same_stem in by_key.values():
        documents = _same_document(same_stem)
        # `talk.en` and `talk.en-orig` are one document, known by the shorter stem.
        ids = _ids(min((file.key for file in same_stem), key=lambda k: (len(k), k)), documents)
        for same, document_id in zip(documents, ids, strict=True):
            group = _group(document_id, same, failed)
            if group is not None:
                groups.append(group)
    return groups, skipped


def _stem_and_language(file: SourceFile) -> tuple[str, str | None]:
    """Captions of one stem in variants of one language are one document; other files by stem."""
    base, code = split_language(file.key)
    if file.kind != "captions" or code is None:
        return file.key, None
    return base, primary(language_code(code))


def _without_translations(files: Sequence[SourceFile], skipped: list[Skipped]) -> Iterator[SourceFile]:
    """Leave out machine translations of a video of which there are captions as spoken."""
    spoken: dict[tuple[Path, str], SourceFile] = {}
    for file in files:
        if file.kind == "captions" and file.facts.captions in ("human", "auto"):
            spoken.setdefault((file.path.parent, split_language(file.key)[0]), file)
    for file in files:
        original = spoken.get((file.path.parent, split_language(file.key)[0]))
        if file.facts.captions == "translated" and file.kind == "captions" and original:
            reason = f"duplicate of {original.source} (machine translation)"
            skipped.append(Skipped(file.source, reason))
        else:
            yield file


def _same_document(files: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """Split files of one stem into documents.

    One document: files in one folder; files that the same manifest line names; and, across
    sibling folders, `calls/x_transcript.txt` and `srt/x.srt`, or captions of different formats
    with the same words.
    """
    merged: list[list[SourceFile]] = []
    for file in files:
        joined = [file]
        for group in [group for group in merged if any(_belong(file, other) for other in group)]:
            merged.remove(group)
            joined = [*group, *joined]
        merged.append(joined)
    merged.sort(key=lambda group: min(file.source for file in group))
    if len(merged) > 1 and _are_siblings(merged):
        return [[file for group in merged for file in group]]
    return merged


def _belong(one: SourceFile, other: SourceFile) -> bool:
    if one.path.parent == other.path.parent:
        return True
    return (
        one.row is not None
        and other.row is not None
        and not one.row.about_notes
        and not other.row.about_notes
        and (one.manifest, one.row.number) == (other.manifest, other.row.number)
    )


def _are_siblings(groups: Sequence[Sequence[SourceFile]]) -> bool:
    files = [file for group in groups for file in group]
    if any(file.row is not None for file in files):
        # A manifest that names them apart, or names one only, has decided.
        return False
    suffixes = [file.path.suffix.lower() for file in files]
    above = {file.path.parent.parent for file in files}
    captions = sum(file.kind == "captions" for file in files)
    transcripts = sum(file.path.stem.endswith("_transcript") for file in files)
    return (
        len(above) == 1
        and len(set(suffixes)) == len(suffixes)
        and captions >= 1
        and captions + transcripts == len(files)
        # `x_transcript` says what it is; two caption files may share a name by chance.
        and (transcripts >= 1 or all(same_words(files[0].path, f.path) for f in files[1:]))
    )


def _ids(key: str, documents: Sequence[Sequence[SourceFile]]) -> list[str]:
    """The stem; where it names several documents, as many folders before it as tell them apart."""
    if len(documents) == 1:
        return [key]
    folders = [min(file.path.parent for file in same) for same in documents]
    depth = 1
    while True:
        ids = ["/".join([*(unicodedata.normalize("NFC", display(p)) for p in f.parts[-depth:]), key]) for f in folders]
        if len(set(ids)) == len(ids) or depth > max(len(f.parts) for f in folders):
            return ids
        depth += 1


def _place(path: Path) -> int:
    known = format_of(path)
    return FORMATS.index(known) if known else len(FORMATS)


def _group(document_id: str, same: Sequence[SourceFile], failed: list[Failure]) -> Group | None:
    """Choose the file to read; the others are there for when it cannot be, best first."""
    plain = [file for file in same if file.kind != "converted"]
    candidates = rank([Candidate(f.path, f.source, f.kind, f.facts) for f in plain], failed) if plain else []
    # Looking into these to compare them would be converting them; by format is near enough.
    others_last = sorted((f for f in same if f.kind == "converted"), key=lambda f: (_place(f.path), f.source))
    candidates += [Candidate(f.path, f.source, f.kind, f.facts) for f in others_last]
    by_path: Mapping[Path, SourceFile] = {file.path: file for file in same}
    files = [by_path[candidate.path] for candidate in candidates]
    groups: list[Group] = []
    for file in tuple(files):
        try:
            groups.append(_read_from(document_id, file, [other for other in files if other is not file]))
        except SourceFault as fault:
            failed.append(Failure(file.source, fault.line, fault.reason))
            files.remove(file)
    return replace(groups[0], fallbacks=tuple(groups[1:])) if groups else None


def _read_from(document_id: str, file: SourceFile, others: Sequence[SourceFile]) -> Group:
    """The document as read from one of its files, with what is said of the others. Raises SourceFault."""
    facts = file.facts
    if file.kind != "captions" and any(other.kind == "captions" for other in others):
        # What a manifest says of the captions is not said of the transcript beside them.
        facts = replace(facts, captions=None)
    used = [file.path, *file.sidecars]
    row = file.row
    for other in others:
        # What the other file is (its captions, its language) is no fact about this one.
        facts = facts.or_else(replace(other.facts, captions=None, language=None))
        used.extend(path for path in other.sidecars if path not in used)
        row = row or other.row
    extra = "\n".join((PARSER_VERSION, document_id, file.path.name, row.canonical if row else ""))
    mark = fingerprint(used, extra=extra, text=None if file.kind == "converted" else file.path)
    return Group(document_id, file.path, file.source, file.kind, mark, facts, tuple(used))
