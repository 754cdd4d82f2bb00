"""Addresses of search servers: read once, refused with a hint, and never shown with a password."""

from __future__ import annotations

import traceback

import pytest

from answertrail.errors import InputError
from answertrail.search.engines.milvus_client import MilvusSettings
from answertrail.search.engines.opensearch_http import OpenSearchSettings

BOTH = pytest.mark.parametrize("make", [MilvusSettings, OpenSearchSettings])


@BOTH
@pytest.mark.parametrize(
    "address",
    [
        "https://admin:5e/cret@h:9200",
        "https://admin:5e#cret@h:9200",
        "https://admin:5e?cret@h:9200",
        "https://admin:5e[cret@h:9200",
        "https://admin:5ecret@h:99999",
        "https://admin:5ecret@h:http",
        "https://admin:5ecret@[::1",
        "https://admin:5e\ncret@h:9200",
        "admin:5ecret@localhost:19530",
        "admin:5ecret@corpus.db",
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_of_it_is_printed(make, address):
    with pytest.raises(InputError) as error:
        make(address)
    assert "percent-encode the password" in error.value.hint
    printed = f"{error.value} {''.join(traceback.format_exception_only(error.value))}"
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__ or error.value.__context__ is None
    for part in ("5e", "cret", "admin"):
        assert part not in printed


@BOTH
@pytest.mark.parametrize("address", ["h:9200", "ftp://h", "http://", "http://h:0", "http://h h:1", "http://h:1/?a=b"])
def test_what_is_no_address_is_refused_with_an_example(make, address):
    with pytest.raises(InputError, match="not the address") as error:
        make(address)
    assert "HOST" in error.value.hint
    assert "percent" not in error.value.hint


@BOTH
@pytest.mark.parametrize(
    ("address", "shown", "login"),
    [
        ("https://admin:Pa%2Fss@h.example:9200", "https://h.example:9200", ("admin", "Pa/ss")),
        ("http://[::1]:9200/", "http://[::1]:9200", None),
        ("http://search_1/es/", "http://search_1/es", None),
    ],
)
def test_a_login_is_taken_out_of_the_address(make, address, shown, login):
    settings = make(address)
    assert settings.shown == shown
    assert settings.address.login == login
    assert "Pa" not in repr(settings)


def test_a_file_of_milvus_ends_in_db(tmp_path):
    settings = MilvusSettings(str(tmp_path / "corpora.db"))
    assert settings.is_file
    assert settings.shown == str(tmp_path / "corpora.db")
    with pytest.raises(InputError, match="not the address"):
        MilvusSettings(str(tmp_path / "corpora"))
