from __future__ import annotations

from django.apps import AppConfig

from catalog.tools.hooks import hooks
from playground.factories.registry import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Install the playground's hooks, and connect its rooms.

        Hooks compute their values when called, not when the site starts.
        """
        from playground.configurations.saved import configure_source  # noqa: PLC0415 - likewise
        from playground.examples.models import tools_whose_examples_pass  # noqa: PLC0415 - likewise
        from playground.examples.results import end_orphaned_checks, settle_check  # noqa: PLC0415 - likewise
        from playground.factories.connections import runnable_ids  # noqa: PLC0415 - it imports models
        from playground.factories.rescans import packages_reloaded  # noqa: PLC0415 - likewise
        from playground.history.statistics import most_run_tools  # noqa: PLC0415 - likewise
        from playground.real_calls.checks import check_quickly  # noqa: PLC0415 - likewise
        from playground.runs.signals import check_run_ended, runs_recovered  # noqa: PLC0415 - likewise
        from playground.runs.supervisor import renew_runner  # noqa: PLC0415 - likewise

        hooks.runnable_tool_ids = runnable_ids
        hooks.installed_tool_ids = lambda: registry().runnable_ids()
        hooks.tools_with_passing_examples = tools_whose_examples_pass
        hooks.most_run_tools = most_run_tools
        hooks.check_recent_calls = check_quickly
        hooks.configure_source = configure_source
        check_run_ended.connect(settle_check)
        runs_recovered.connect(end_orphaned_checks)
        packages_reloaded.connect(renew_runner)
