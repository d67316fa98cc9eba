"""Types of values in queries, which pages and the API read with pydantic."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator


def _check_is_day(value: object) -> object:
    """Accept only YYYY-MM-DD: pydantic also takes "0" for a number of seconds since 1970."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("Enter a day such as 2026-11-22.")
    return value


Day: TypeAlias = Annotated[date, BeforeValidator(_check_is_day)]
