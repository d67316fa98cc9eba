from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    label = "accounts"

    def ready(self) -> None:
        """Record sign-ins, whichever view or package they come through."""
        from accounts.sign_in_audit import connect  # noqa: PLC0415 - it imports models

        connect()
