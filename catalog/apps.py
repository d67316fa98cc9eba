from django.apps import AppConfig
from django.db.backends.signals import connection_created

from toolshelf_core.db.stored_text import protect_texts


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Protect stored texts, and let the room of revisions complete events for webhooks.

        Only this signal of Django's names each new connection.
        """
        from catalog.revisions.differences import meaning_of_event  # noqa: PLC0415 - it imports models
        from catalog.webhooks.queue import completions  # noqa: PLC0415 - likewise

        connection_created.connect(protect_texts)
        completions["tool.revised"] = meaning_of_event
