"""What every record of the contract shares: strict types, no unknown field, no NaN, exact nulls."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)

_IDENTIFIER = re.compile(r"\S(.*\S)?")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$")


def instant(text: str) -> datetime:
    """Parse a contract date; a bare date is UTC midnight.

    Raises ValueError naming the expected form for anything else, also for impossible dates and
    for those that fall outside the years 1 to 9999 in UTC, which no database can hold.
    """
    if not _DATE.match(text):
        raise ValueError("expected an ISO 8601 date, or a date and time with a zone")
    if "T" not in text:
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = datetime.fromisoformat(text)
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("the date lies outside the years 1 to 9999 in UTC") from None
    return moment


def _checked_identifier(text: str) -> str:
    # Python's own white space, as the contract's `check` has it; pydantic's engine knows less.
    if not _IDENTIFIER.fullmatch(text):
        raise ValueError("expected no white space at either end and no line break")
    return text


def _checked_date(text: str) -> str:
    instant(text)
    return text


def _whole_number(value: object) -> object:
    """JSON has one number type: 3.0 is an integer there."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


DateText = Annotated[str, AfterValidator(_checked_date)]
Identifier = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_checked_identifier)]
NonEmpty = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(_whole_number), Field(ge=0)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Part(BaseModel):
    """A value inside a record.

    A field named in `nullable` may be null in JSON, and null is then a statement ("unknown").
    Every other absent field is simply left out when written, and null for it is refused.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)

    nullable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, data: Any, info: ValidationInfo) -> Any:
        if info.context and info.context.get("json") and isinstance(data, dict):
            for key, value in data.items():
                if value is None and key not in cls.nullable:
                    raise ValueError(f"{key} may not be null; leave it out when unknown")
        return data

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values in field order, `schema` first.

        Left out: fields never set, and None where the contract knows no null.
        """
        out: dict[str, Any] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            key = info.alias or name
            if value is None and (key not in self.nullable or name not in self.model_fields_set):
                continue
            if name not in self.model_fields_set and not info.is_required() and name != "schema_":
                continue
            out[key] = _plain(value)
        return out


class Record(Part):
    """A record of the contract: one line of a JSON Lines file, told apart by `schema`."""


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.as_json()
    if isinstance(value, dict):
        return dict(value)  # free-form matter holds no parts, and may be nested deeper than Python can call
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
