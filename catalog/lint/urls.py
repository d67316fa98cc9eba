from django.urls import path

from catalog.lint import views

urlpatterns = [
    path("lint/", views.rule_list, name="lint_rules"),
    path("lint/<slug:rule>/", views.rule_page, name="lint_rule"),
    path("tools/<str:slug>/lint/", views.tool_lint, name="tool_lint"),
    path("tools/<str:slug>/lint/fixes/", views.apply_fixes, name="lint_fixes"),
    path("tools/<str:slug>/lint/changes/", views.fix_changes, name="lint_changes"),
    path("tools/<str:slug>/lint/waivers/", views.add_waiver, name="lint_waivers"),
    path(
        "tools/<str:slug>/lint/waivers/<int:waiver>/remove/",
        views.remove_waiver,
        name="lint_waiver_remove",
    ),
]
