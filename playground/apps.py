from django.apps import AppConfig

from catalog import holding_examples, runnable
from playground.factories import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Let the catalog know what can be run, and of what the examples hold.

        Looked up when somebody asks, not when the site starts.
        """
        runnable.provide(lambda: registry().runnable_ids())
        from playground.models import ExampleCheck  # noqa: PLC0415 - models are there only now

        holding_examples.provide(ExampleCheck.objects.holding)
