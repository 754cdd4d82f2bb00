"""Finding the files of an embedded model, and refusing them when they are not the pinned ones."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from answertrail.errors import MismatchError, ServiceError
from answertrail.models.embedding.catalogue import EmbeddedModel, WeightFile

# Path, size and time of change of each file already verified by this process, with its digest.
_verified: dict[tuple[Path, int, int], str] = {}


def package_folder(model: EmbeddedModel) -> Path | None:
    """Return the folder of the package that holds the weights, None when it is not installed.

    Looks the package up without importing it: some print, configure logging or load
    libraries when imported.
    """
    if any(importlib.util.find_spec(name) is None for name in model.needs):
        return None
    spec = importlib.util.find_spec(model.module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def require_package(model: EmbeddedModel) -> Path:
    """Return the package's folder. Raises ServiceError with the pip command when it is missing."""
    folder = package_folder(model)
    if folder is None:
        missing = [name for name in model.needs if importlib.util.find_spec(name) is None]
        command = " ".join([model.install, *missing])
        raise ServiceError(
            f"the embedder {model.name!r} is not installed",
            hint=f"run: {command} (platforms: {model.platforms})",
        )
    return folder


def verified_file(folder: Path, file: WeightFile, model_name: str) -> Path:
    """Return the path of a weight file after checking its sha256.

    A file is read once a process (again if it changes). Raises ServiceError when it is absent
    and MismatchError when it is not the pinned file.
    """
    path = folder / file.path
    try:
        found = _digest(path)
    except OSError as error:
        raise ServiceError(
            f"a file of the embedder {model_name!r} cannot be read: {error.strerror or error}",
            where=str(path),
            hint="reinstall its package",
        ) from error
    if found != file.sha256 and found not in file.also:
        raise MismatchError(
            f"the weights of the embedder {model_name!r} are not the pinned ones: "
            f"sha256 {found}, expected {file.sha256}",
            where=str(path),
            hint="reinstall the pinned package (see docs/embedders.md); other weights give other vectors",
        )
    return path


def _digest(path: Path) -> str:
    status = path.stat()
    key = (path, status.st_size, status.st_mtime_ns)
    if key not in _verified:
        with path.open("rb") as stream:
            _verified[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _verified[key]
