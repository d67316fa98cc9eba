from __future__ import annotations

from django.apps import AppConfig

from catalog.hooks import hooks
from playground.factories.registry import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Install the playground's hooks. They compute their values when called, not when the site starts."""
        from playground.configurations.saved import configure_source  # noqa: PLC0415 - likewise
        from playground.factories.connections import runnable_ids  # noqa: PLC0415 - it imports models
        from playground.models.checks import tools_whose_examples_pass  # noqa: PLC0415 - likewise
        from playground.run_pages.real_calls import check_quickly  # noqa: PLC0415 - likewise
        from playground.run_pages.statistics import most_run_tools  # noqa: PLC0415 - likewise

        hooks.runnable_tool_ids = runnable_ids
        hooks.installed_tool_ids = lambda: registry().runnable_ids()
        hooks.tools_with_passing_examples = tools_whose_examples_pass
        hooks.most_run_tools = most_run_tools
        hooks.check_recent_calls = check_quickly
        hooks.configure_source = configure_source
