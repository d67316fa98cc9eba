from django.apps import AppConfig

from catalog import runnable
from playground.factories import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Let the catalog know what can be run; looked up when somebody asks, not when the site starts."""
        runnable.provide(lambda: registry().runnable_ids())
