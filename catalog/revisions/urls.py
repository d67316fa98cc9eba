from django.urls import path, register_converter

from catalog.revisions import views


class RevisionPair:
    """Two revision numbers in a URL: "3..5"."""

    regex = r"[1-9][0-9]{0,8}\.\.[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> tuple[int, int]:
        old, new = value.split("..")
        return int(old), int(new)

    def to_url(self, value: tuple[int, int]) -> str:
        return f"{value[0]}..{value[1]}"


register_converter(RevisionPair, "revisions")

urlpatterns = [
    path("tools/<str:slug>/changes/", views.revision_list, name="tool_changes"),
    path(
        "tools/<str:slug>/changes/<revisions:pair>/",
        views.revision_diff,
        name="revision_diff",
    ),
    path(
        "tools/<str:slug>/changes/<int:number>/restore/",
        views.restore_revision,
        name="restore_revision",
    ),
]
