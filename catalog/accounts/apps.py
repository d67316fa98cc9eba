from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "catalog.accounts"
    label = "accounts"
