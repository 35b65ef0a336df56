from __future__ import annotations

import uuid
import zlib

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.core.models import Job


class Upload(models.Model):
    """Fact: a file that a person has chosen for an experiment; gone with the experiment, or after a day."""

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    name = models.CharField(max_length=100)
    columns = models.JSONField(help_text="the header")
    packed = models.BinaryField(help_text="the bytes, deflated")
    uploaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name

    @property
    def data(self) -> bytes:
        return zlib.decompress(self.packed)


class Experiment(Job):
    """Job: batch against interactive disclosure on a table of counts; fact once it is done."""

    QUEUE_ORDER = ("requested_at", "id")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    class Source(models.TextChoices):
        PUBLISHED = "published", _("the counts of the paper: users of MovieLens 1M")
        HOUSEHOLDS = "households", _("pseudo households made by the platform")
        COUNTS = "counts", _("a CSV file of counts")
        RECORDS = "records", _("a CSV file of records")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(help_text="counts the owner's experiments")
    name = models.CharField(max_length=60, blank=True)
    source = models.CharField(max_length=10, choices=Source)
    origin = models.JSONField(
        default=dict, help_text="of a file name and sha256, of households n_records and seed"
    )
    counts = models.JSONField(help_text="experiments.tables.to_json: all that is kept of the data")
    setup = models.JSONField(help_text="the fields of scoring.privacy.experiments.run.Setup")
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    is_stopping = models.BooleanField(default=False, help_text="ends before its next step")
    done_steps = models.PositiveSmallIntegerField(default=0)
    values = models.JSONField(default=dict, help_text="scoring.privacy.experiments.report.summary")
    scoring_version = models.CharField(max_length=20, blank=True)
    seconds = models.FloatField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "number"], name="experiment_number_once"),
            models.UniqueConstraint(
                fields=["owner"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_unfinished_experiment",
            ),
        ]

    def __str__(self) -> str:
        return f"experiment {self.number} of {self.owner_id}"

    @property
    def title(self) -> str:
        return self.name or str(_("Experiment %(n)d") % {"n": self.number})


class ResultFile(models.Model):
    """Derived: a table, a figure or the page that names them, as the library writes it."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=100, help_text="a path inside the archive")
    packed = models.BinaryField(help_text="the bytes, deflated")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "name"], name="result_file_once")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def data(self) -> bytes:
        return zlib.decompress(self.packed)
