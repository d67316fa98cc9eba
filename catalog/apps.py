from django.apps import AppConfig
from django.db.backends.signals import connection_created

from catalog.db.stored_text import protect_texts


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Protect the texts that are stored. Only this signal of Django's names each new connection."""
        connection_created.connect(protect_texts)
