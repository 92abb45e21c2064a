"""Tests of files whose names are no UTF-8, as after unpacking an archive of Windows on Linux."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import Game
from tests.abuse.file_fixtures import file_names, write_files

from .everything import OPERATORS, operator_function
from .user_actions import export_file, import_file, import_sample, in_view, is_unexpected

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode elsewhere")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder whose name is no UTF-8."""
    made = Path(os.fsdecode(os.fsencode(tmp_path) + b"/Niveles de Espa\xf1a"))
    made.mkdir()
    return made


def test_a_level_is_exported_and_checked(blender: ModuleType, tmp_path: Path, folder: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    path = folder / os.fsdecode(b"salida\xf1.phd")
    assert export_file(path) == (tmp_path / "LEVEL1.PHD").read_bytes()
    assert root.tomb_raider.findings_of == "Export of salida?.phd"
    assert bpy.ops.export_scene.tomb_raider(filepath=str(path), rebuild=True) == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    with pytest.raises(RuntimeError, match="not exported"):
        export_file(folder / os.fsdecode(b"not there\xf1") / "x.phd")
    assert import_file(path).name.startswith("salida")


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_accept_or_refuse_unusual_file_names(
    blender: ModuleType, tmp_path: Path, folder: Path, operator: str
) -> None:
    use = operator_function(operator)
    if "filepath" not in use.get_rna_type().properties:
        return
    import_sample(tmp_path, Game.TR4 if "cutscene" in operator or "put_" in operator else Game.TR2)
    script = bpy.data.texts.new("script")
    script.tomb_raider.kind = "GAMEFLOW"
    for number, name in enumerate(file_names()):
        before = write_files(folder, number)
        path = before.rename(folder / os.fsdecode(b"\xf1" + os.fsencode(name)))
        try:
            with in_view():
                if use.poll():
                    use("EXEC_DEFAULT", filepath=str(path))
        except RuntimeError as error:
            assert not is_unexpected(error), (path, error)
