from django.urls import path, register_converter

from catalog.views import (
    audit,
    formats,
    organise_many,
    palette,
    people,
    review,
    revisions,
    sources,
    tool_settings,
    toolkits,
    tools,
    upload_reports,
    webhooks,
)
from catalog.views import lint as lint_views
from catalog.views import uploads as upload_views


class RevisionPair:
    """Two revision numbers in a URL: "3..5"."""

    regex = r"[1-9][0-9]{0,8}\.\.[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> tuple[int, int]:
        old, new = value.split("..")
        return int(old), int(new)

    def to_url(self, value: tuple[int, int]) -> str:
        return f"{value[0]}..{value[1]}"


register_converter(RevisionPair, "revisions")

app_name = "catalog"
urlpatterns = [
    path("", tools.home, name="home"),
    path("tools/", tools.tool_list, name="tool_list"),
    path("facets/", tools.facet_list, name="facets"),
    path("suggestions/", palette.query_suggestions, name="suggestions"),
    path("palette/", palette.palette_entries, name="palette"),
    path("add/", upload_views.upload_specs, name="add"),
    path("add/preview/", upload_views.preview, name="add_preview"),
    path("uploads/<str:pk>/", upload_reports.upload_report, name="upload_report"),
    path("sources/", sources.source_list, name="sources"),
    path("sources/<str:name>/", sources.source_page, name="source"),
    path("sources/<str:name>/settings/", sources.change_settings, name="source_settings"),
    path("sources/<str:name>/sync/", sources.sync_now, name="source_sync"),
    path("sources/<str:name>/remove/", sources.remove, name="source_remove"),
    path("review/", review.review_list, name="review_list"),
    path("review/<int:pk>/", review.review, name="review"),
    path("audit/", audit.audit_log, name="audit"),
    path("audit/export/", audit.export_audit_log, name="audit_export"),
    path("webhooks/", webhooks.webhook_list, name="webhooks"),
    path("webhooks/<int:pk>/", webhooks.webhook_page, name="webhook"),
    path(
        "webhooks/<int:pk>/deliveries/<int:delivery>/",
        webhooks.delivery_page,
        name="webhook_delivery",
    ),
    path("lint/", lint_views.rule_list, name="lint_rules"),
    path("lint/<slug:rule>/", lint_views.rule_page, name="lint_rule"),
    path("organise/", organise_many.organise_matches, name="organise_matches"),
    path("toolkits/<str:name>/settings/", toolkits.toolkit_settings, name="toolkit_settings"),
    path("people/", people.people, name="people"),
    path("people/add/", people.add_person, name="add_person"),
    path("people/groups/", people.change_groups, name="people_groups"),
    path("people/<int:pk>/", people.person, name="person"),
    path("people/<int:pk>/link/", people.new_person_link, name="person_link"),
    path("tools/<str:slug>..<str:other>/", tools.compare_tools, name="compare_tools"),
    path("tools/<str:slug>/", tools.tool_page, name="tool"),
    path("tools/<str:slug>/star/", tools.star_tool, name="star"),
    path("tools/<str:slug>/settings/", tool_settings.tool_settings, name="tool_settings"),
    path("tools/<str:slug>/lint/", lint_views.tool_lint, name="tool_lint"),
    path("tools/<str:slug>/lint/fixes/", lint_views.apply_fixes, name="lint_fixes"),
    path("tools/<str:slug>/lint/changes/", lint_views.fix_changes, name="lint_changes"),
    path("tools/<str:slug>/lint/waivers/", lint_views.add_waiver, name="lint_waivers"),
    path(
        "tools/<str:slug>/lint/waivers/<int:waiver>/remove/",
        lint_views.remove_waiver,
        name="lint_waiver_remove",
    ),
    path("tools/<str:slug>/formats/", formats.formats, name="formats"),
    path("tools/<str:slug>/formats/<slug:key>/", formats.formats, name="format"),
    path("tools/<str:slug>/similar/", tools.similar_page, name="similar"),
    path("tools/<str:slug>/changes/", revisions.revision_list, name="tool_changes"),
    path(
        "tools/<str:slug>/changes/<revisions:pair>/",
        revisions.revision_diff,
        name="revision_diff",
    ),
    path(
        "tools/<str:slug>/changes/<int:number>/restore/",
        revisions.restore_revision,
        name="restore_revision",
    ),
]
