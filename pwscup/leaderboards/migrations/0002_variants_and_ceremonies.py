import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Standings are derived: the old ones go, and the boards are computed again when they are requested."""

    dependencies = [
        ("contests", "0002_season"),
        ("leaderboards", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.DeleteModel(name="Standing"),
        migrations.CreateModel(
            name="Standing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("variant", models.CharField(help_text="stage, division, whether measures are hidden, live or frozen", max_length=100)),
                ("key", models.CharField(help_text="digest of the facts the boards were made from", max_length=64)),
                ("boards", models.JSONField()),
                ("built_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("contest", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="standings", to="contests.contest")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("contest", "variant"), name="one_standing_per_variant")],
            },
        ),
        migrations.CreateModel(
            name="Ceremony",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stage", models.CharField(blank=True, help_text="empty for the season", max_length=30)),
                ("direction", models.CharField(help_text="which totals are better", max_length=10)),
                ("places", models.JSONField(help_text="rank and rows, sealed: revealed one by one")),
                ("frozen", models.JSONField(help_text="the rows of the frozen board, which everybody may see")),
                ("step", models.PositiveIntegerField(default=0, help_text="how many of the places are revealed")),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("contest", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="ceremonies", to="contests.contest")),
                ("division", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="ceremonies", to="contests.division")),
                ("started_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(condition=models.Q(("finished_at", None)), fields=("contest",), name="one_ceremony_at_a_time")],
            },
        ),
    ]
