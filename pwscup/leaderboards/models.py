from django.db import models
from django.utils import timezone

from pwscup.contests.models import Contest


class Standing(models.Model):
    """Derived: the boards of a contest as they follow from the facts that `key` names; may be deleted at any time."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="standing")
    key = models.CharField(max_length=64, help_text="digest of the facts the boards were made from")
    boards = models.JSONField()
    built_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"standing of {self.contest}"
