"""The forms of the playground's pages that are not made from a schema."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from playground.models import MODES, OUTCOMES, VERDICTS

RUN_ID: Final = r"\A[0-9a-f]{32}\Z"
NOT_BEFORE_TIME: Final = MinValueValidator(datetime(1970, 1, 1, tzinfo=UTC))
NOT_AFTER_TIME: Final = MaxValueValidator(datetime(9999, 12, 30, 23, tzinfo=UTC))  # a day later is Python's last hour
MAX_HOURS: Final = 24  # of a filter; for more there are days
NOT_BEFORE: Final = MinValueValidator(date(1970, 1, 1))  # ids of runs begin with the time since then


def _choice(values: tuple[str, ...]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=[(value, value) for value in values], required=False)


def _day() -> forms.DateField:
    return forms.DateField(input_formats=["%Y-%m-%d"], validators=[NOT_BEFORE], required=False)


class RunFilterForm(forms.Form):
    """The query string of a list of runs."""

    tool = forms.CharField(required=False, strip=False)
    outcome = _choice(OUTCOMES)
    verdict = _choice(VERDICTS)
    mode = _choice(MODES)
    person = forms.CharField(required=False, strip=False)
    since = _day()
    until = _day()
    hour = forms.DateTimeField(
        input_formats=["%Y-%m-%dT%H"], validators=[NOT_BEFORE_TIME, NOT_AFTER_TIME], required=False
    )
    hours = forms.IntegerField(min_value=2, max_value=MAX_HOURS, required=False)
    period = _choice(("24h", "7d", "30d"))
    before = forms.RegexField(RUN_ID, required=False, strip=False)
    after = forms.RegexField(RUN_ID, required=False, strip=False)

    def accepted(self) -> dict[str, Any]:
        """The valid values. Queries come from links, so invalid values are ignored.

        If an hour and days are given, the days were entered later, and replace the hour.
        """
        self.full_clean()
        accepted = {name: value for name, value in self.cleaned_data.items() if value}
        hour = accepted.pop("hour", None)
        hours = accepted.pop("hours", None)
        if hour is None or "since" in accepted or "until" in accepted:
            return accepted
        return accepted | {"hour": f"{hour:%Y-%m-%dT%H}"} | ({"hours": hours} if hours else {})
