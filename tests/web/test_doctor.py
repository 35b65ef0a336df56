"""What `manage.py doctor` says of an installation that is well, and of one that is not."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from pwscup.core import prepare, private, storage


@pytest.fixture(autouse=True)
def without_settings_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(private, "ENV_FILE", tmp_path / "no.env")


def examine(*names: str) -> str:
    out = io.StringIO()
    call_command("doctor", *(["--only", *names] if names else []), stdout=out, no_color=True)
    return out.getvalue()


def complaint(*names: str) -> str:
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--only", *names, stdout=out, no_color=True)
    assert ended.value.code == 1
    return "".join(line for line in out.getvalue().splitlines(True) if line.startswith("FIX"))


def test_an_installation_that_is_well(cast, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "gathered"
    prepare.collect_static()
    said = examine()
    assert said.count("ok  ") == 5
    assert "FIX" not in said


def test_files_that_are_missing_and_files_that_are_left_over(cast, settings):
    file = storage.store(b"x", area=storage.Area.PUBLISHED, name="x")
    (settings.PRIVATE_ROOT / "published" / "orphan").write_bytes(b"")
    assert "1 left over" in examine("stored")
    storage.path_of(file).unlink()
    assert "1 of 3 are missing" in complaint("stored")


def test_a_key_that_others_can_read(cast, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    (tmp_path / "secret-key").touch()
    (tmp_path / "secret-key").chmod(0o644)
    assert f"chmod go= {tmp_path}/secret-key" in complaint("files")


def test_a_data_folder_and_a_database_that_others_can_read(cast, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(0o755)
    assert f"chmod go= {tmp_path}`" in complaint("files")


def test_a_broker_that_is_away(db, settings, tmp_path):
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    assert "REDIS_URL" in complaint("broker")


def test_static_files_that_are_out_of_date(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "gathered"
    assert "collectstatic" in complaint("static")
