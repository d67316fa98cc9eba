from django.db import migrations
from django.db.models import Q


def choose_for_each_tool(apps, schema_editor):  # noqa: ARG001
    """Replace the choice for a toolkit by one for each of its tools that has the configuration."""
    choices = apps.get_model("playground", "MCPConfiguration")
    saved_configurations = apps.get_model("playground", "SavedConfiguration")
    shared = Q(visibility="everyone") | Q(groups__isnull=False)
    for choice in choices.objects.filter(tool=None):
        saved = saved_configurations.objects.filter(tool__toolkit_key=choice.toolkit_key)
        owner, slash, name = choice.name.partition("/")
        if slash:
            saved = saved.filter(shared, owner__username=owner, name=name)
        else:
            saved = saved.filter(owner=choice.owner_id, name=choice.name)
        for tool in saved.values_list("tool", flat=True).distinct():
            choices.objects.get_or_create(
                owner_id=choice.owner_id, tool_id=tool, defaults={"name": choice.name}
            )
        choice.delete()


class Migration(migrations.Migration):
    dependencies = [("playground", "0006_remove_run_counter")]

    operations = [migrations.RunPython(choose_for_each_tool, migrations.RunPython.noop)]
