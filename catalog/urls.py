from django.urls import path, register_converter

from catalog import lint_views, views


class RevisionPair:
    """Two revision numbers in an address: "3..5"."""

    regex = r"[1-9][0-9]{0,8}\.\.[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> tuple[int, int]:
        old, new = value.split("..")
        return int(old), int(new)

    def to_url(self, value: tuple[int, int]) -> str:
        return f"{value[0]}..{value[1]}"


register_converter(RevisionPair, "revisions")

app_name = "catalog"
urlpatterns = [
    path("", views.tool_list, name="tool_list"),
    path("upload/", views.upload_specs, name="upload"),
    path("lint/", lint_views.rule_list, name="lint_rules"),
    path("lint/<slug:rule>/", lint_views.rule_page, name="lint_rule"),
    path("tools/<str:slug>/", views.tool_page, name="tool"),
    path("tools/<str:slug>/archive/", views.archive_tool, name="archive"),
    path("tools/<str:slug>/restore/", views.restore_tool, name="restore"),
    path("tools/<str:slug>/revisions/", views.revision_list, name="revisions"),
    path("tools/<str:slug>/revisions/<revisions:pair>/", views.revision_diff, name="revision_diff"),
]
