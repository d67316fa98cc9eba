"""The ready groups and their permissions. Nobody loses a right: staff become administrators, others publishers."""

from django.db import migrations, models

ABILITIES = {
    "run_tools": "Can run tools and save configurations",
    "publish_tools": "Can upload tools and propose revisions",
    "administer": "Can do everything on this site",
}
GROUPS = {
    "reader": [],
    "runner": ["run_tools"],
    "publisher": ["run_tools", "publish_tools"],
    "administrator": ["run_tools", "publish_tools", "administer"],
}


def create_groups(apps, _schema_editor):
    ContentType = apps.get_model("contenttypes", "ContentType")
    Permission = apps.get_model("auth", "Permission")
    Group = apps.get_model("auth", "Group")
    about_users, _ = ContentType.objects.get_or_create(app_label="accounts", model="user")
    permissions = {
        codename: Permission.objects.get_or_create(
            content_type=about_users, codename=codename, defaults={"name": name}
        )[0]
        for codename, name in ABILITIES.items()
    }
    for name, codenames in GROUPS.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(*(permissions[codename] for codename in codenames))


def place_people(apps, _schema_editor):
    """Put people into the groups whose rights they had, and let tokens of staff go on managing sources."""
    User = apps.get_model("accounts", "User")
    ApiToken = apps.get_model("accounts", "ApiToken")
    groups = {group.name: group for group in apps.get_model("auth", "Group").objects.filter(name__in=GROUPS)}
    for user in User.objects.iterator():
        if user.is_staff or user.is_superuser:
            user.groups.add(groups["administrator"])
        else:
            user.groups.add(groups["publisher"], groups["runner"])
    for token in ApiToken.objects.filter(models.Q(user__is_staff=True) | models.Q(user__is_superuser=True)):
        if "publish" in token.scopes and "admin" not in token.scopes:
            token.scopes = [*token.scopes, "admin"]
            token.save(update_fields=["scopes"])


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_set_up_links"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": list(ABILITIES.items()),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        migrations.AddField(model_name="apitoken", name="toolkits", field=models.JSONField(default=list)),
        migrations.RunPython(create_groups, migrations.RunPython.noop),
        migrations.RunPython(place_people, migrations.RunPython.noop),
    ]
