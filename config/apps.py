from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class ConfigConfig(AppConfig):
    name = "config"


class ToolshelfAdminConfig(AdminConfig):
    default_site = "config.admin.ToolshelfAdminSite"
