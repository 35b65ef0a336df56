import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLES = ("core_event", "core_seal")

SQLITE = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed'); END
"""
POSTGRESQL_FUNCTION = """
CREATE FUNCTION core_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$
"""
POSTGRESQL = """
CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION core_append_only()
"""


def refuse_changes(apps, schema_editor):
    """Let the database itself refuse to change a row. Deleting stays possible: test databases are emptied."""
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        schema_editor.execute(POSTGRESQL_FUNCTION, params=None)
    create = {"sqlite": SQLITE, "postgresql": POSTGRESQL}.get(vendor)
    if create:
        for table in TABLES:
            schema_editor.execute(create.format(table=table), params=None)


def allow_changes(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table in TABLES:
        if vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {table}_append_only")
        elif vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    if vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION core_append_only()")


class Migration(migrations.Migration):
    """Seals. On SQLite a later change of a column creates its table again, without the trigger: add it again then."""

    dependencies = [
        ('core', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(fields=['contest_id', 'kind', 'subject'], name='event_by_subject'),
        ),
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='seal', to='core.event')),
                ('contest_id', models.BigIntegerField(null=True)),
                ('position', models.PositiveBigIntegerField(help_text='numbers the chain from 1 without gaps')),
                ('previous', models.CharField(help_text='the hash of the previous event', max_length=64)),
                ('hash', models.CharField(help_text='SHA-256, as computed by scoring.proof.trail', max_length=64)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddConstraint(
            model_name='seal',
            constraint=models.UniqueConstraint(fields=('contest_id', 'position'), name='one_event_at_each_position'),
        ),
        migrations.AddConstraint(
            model_name='seal',
            constraint=models.UniqueConstraint(condition=models.Q(('contest_id', None)), fields=('position',), name='one_event_at_each_position_of_no_contest'),
        ),
        migrations.RunPython(refuse_changes, allow_changes),
    ]
