"""The tables of the playground in the admin, to look things up.

Parameters, responses and logs are on the run's page, which staff may open. The contents of saved
configurations are not shown anywhere.
"""

from playground.configurations.models import SavedConfiguration
from playground.examples.models import ExampleCheck
from playground.runs.models import Run
from playground.trying.models import SavedInput
from toolshelf_core.read_only_admin import show_table

show_table(
    Run, "id", "tool", "revision", "by", "mode", "outcome", "verdict", "factory",
    "configuration_name", "created_at", "started_at", "finished_at", "host",
    search=["=id", "tool__tool_id", "by__username"],
)  # fmt: skip
show_table(
    ExampleCheck, "tool", "revision", "by", "factory", "passed", "failed", "created_at",
    "finished_at",
    search=["tool__tool_id"],
)  # fmt: skip
show_table(
    SavedConfiguration, "name", "owner", "tool", "created_at", "updated_at",
    search=["name", "owner__username", "tool__tool_id"],
)  # fmt: skip
show_table(
    SavedInput, "name", "owner", "tool", "revision_number", "created_at", "updated_at",
    search=["name", "owner__username", "tool__tool_id"],
)  # fmt: skip
