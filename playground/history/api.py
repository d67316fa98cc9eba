"""The API's operation for the figures of a tool's runs."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from pydantic import Field

from accounts.api_auth import open_to_all
from catalog.tools.lookup import tool_at
from playground.history.statistics import statistics_of
from playground.router import router
from toolshelf_core.api.problems import errors
from toolshelf_core.api.schemas import Out


class StatisticsOut(Out):
    """Statistics of the latest live runs of a tool, at most 1,000."""

    runs: int
    there_are_more: bool = Field(
        description="Whether there are earlier runs, which are not counted."
    )
    returned: float | None = Field(
        description="The share of runs with a response, from 0 to 1; null without runs."
    )
    conformed: float | None = Field(
        description=(
            "The share of checked responses that match `returnType`; "
            "null without checked responses."
        )
    )
    median_ms: float | None = Field(description="The median duration of runs with a response.")
    p95_ms: float | None = Field(
        description="The duration that 95 % of the runs with a response do not exceed."
    )
    latest_at: datetime | None = Field(description="When the latest run was requested.")


@router.get(
    "/tools/{slug}/run-statistics",
    response={200: StatisticsOut, **errors(404)},
    auth=open_to_all(),
    summary="Get the run statistics of a tool",
)
def get_run_statistics(request: HttpRequest, slug: str) -> StatisticsOut:
    """Statistics of the latest live runs of all users, as on the tool's page.

    Without refused runs.
    """
    return StatisticsOut.of(statistics_of(tool_at(slug, request.user)))
