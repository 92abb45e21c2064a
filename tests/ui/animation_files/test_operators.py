"""Operators that import and export single animations as files, as users call them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.catalogue.outfits import SKINS
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.animation_files.anim import read_anim
from io_tomb_raider.formats.editors.animation_files.trw import read_trw
from tests.animation_samples import anim_change, anim_command, anim_dispatch, anim_file
from tests.scene.rig_tools import with_skin
from tests.scene.scenes import lara, objects

from ..user_actions import fails, import_file, import_sample, select


def lara_file(name: str = "WAVE", **options: Any) -> bytes:
    return anim_file(bones=15, name=name, following=(11, 0), **options)


def write(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


@pytest.fixture
def level(blender: ModuleType, tmp_path: Path) -> Any:
    root = import_sample(tmp_path, Game.TR4)
    select(lara(root))
    return root


def in_use(root: Any) -> Any:
    return lara(root).animation_data.action


def test_several_files_become_new_animations_and_the_first_is_shown(level: Any, tmp_path: Path) -> None:
    names = ["0012_A.anim", "0013_B.anim", "broken.anim"]
    write(tmp_path, names[0], lara_file("A"))
    write(tmp_path, names[1], lara_file("B"))
    write(tmp_path, names[2], lara_file("C")[:-30])
    bpy.context.scene.frame_set(100)
    # The damaged file is an error, in spite of which the others are imported.
    with pytest.raises(RuntimeError, match=r"broken\.anim was not imported: .*XML"):
        bpy.ops.import_anim.tomb_raider(directory=str(tmp_path), files=[{"name": each} for each in names])
    assert in_use(level).name == "Lara 012 A"
    scene = bpy.context.scene
    assert scene.frame_current == scene.frame_preview_end == 4 and scene.use_preview_range
    found = [row.action.name for row in lara(level).tomb_raider.model.animations][12:]
    assert found == ["Lara 012 A", "Lara 013 B"]


def test_the_animation_in_use_is_replaced_and_exported_as_it_was(level: Any, tmp_path: Path) -> None:
    data = lara_file()
    path = write(tmp_path, "wave.anim", data)
    before = in_use(level)
    assert bpy.ops.import_anim.tomb_raider(filepath=path, placement="REPLACE") == {"FINISHED"}
    assert in_use(level) == before and before.name.endswith("WAVE")
    target = tmp_path / "again.anim"
    assert bpy.ops.export_anim.tomb_raider(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == data
    assert bpy.ops.export_anim.tomb_raider(filepath=str(tmp_path / "named")) == {"FINISHED"}
    assert (tmp_path / "named.anim").read_bytes() == data


def test_keys_only_leave_the_state(level: Any, tmp_path: Path) -> None:
    action = in_use(level)
    state, name = action.tomb_raider.state, action.name
    path = write(tmp_path, "wave.anim", lara_file(state=99, speeds=(5, 5, 0, 0)))
    assert bpy.ops.import_anim.tomb_raider(filepath=path, placement="KEYS") == {"FINISHED"}
    assert (action.tomb_raider.state, action.name) == (state, name)
    assert (action.tomb_raider.frame_rate, action.tomb_raider.speed) == (2, 5)


def test_keys_of_a_file_are_no_edit_to_spread(level: Any, tmp_path: Path) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(0)
    path = write(tmp_path, "wave.anim", lara_file())
    assert bpy.ops.import_anim.tomb_raider(filepath=path, placement="KEYS") == {"FINISHED"}
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.spread_edit() == {"CANCELLED"}


def test_a_selected_entity_means_its_model_and_the_mode_is_kept(level: Any, tmp_path: Path) -> None:
    entity = next(each for each in objects(level, "ENTITY") if each.tomb_raider.entity.type == 0)
    select(entity)
    path = write(tmp_path, "wave.anim", lara_file())
    assert bpy.ops.import_anim.tomb_raider(filepath=path) == {"FINISHED"}
    assert in_use(level).name == "Lara 012 WAVE"
    select(lara(level))
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.import_anim.tomb_raider(filepath=path) == {"FINISHED"}
    assert bpy.ops.export_anim.tomb_raider(filepath=str(tmp_path / "out.anim")) == {"FINISHED"}
    assert bpy.context.mode == "POSE" and read_anim((tmp_path / "out.anim").read_bytes()).keys == 3


def test_laras_skin_means_lara(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "skin.tr4"
    path.write_bytes(with_skin(Game.TR4))
    root = import_file(path)
    number = SKINS[Game.TR4]
    skin = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == number)
    select(skin)
    data = lara_file()
    bpy.ops.import_anim.tomb_raider(filepath=write(tmp_path, "wave.anim", data))
    made = in_use(root)
    assert made.tomb_raider.model == lara(root) and made == skin.animation_data.action
    constraint = skin.pose.bones[-1].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.use_limit_x = constraint.use_limit_y = constraint.use_limit_z = True
    assert bpy.ops.export_anim.tomb_raider(filepath=str(tmp_path / "out.anim")) == {"FINISHED"}
    found, origin = read_anim((tmp_path / "out.anim").read_bytes()), read_anim(data)
    assert np.abs(found.angles[:, -1]).max() == 0  # as she is seen
    assert np.abs(origin.angles[:, -1]).min(axis=0).max() > 0
    assert np.array_equal(found.offsets, origin.offsets)


def test_all_animations_go_into_a_folder_by_number(level: Any, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    path = write(tmp_path, "wave.anim", lara_file("A/B"))
    bpy.ops.import_anim.tomb_raider(filepath=path)
    assert bpy.ops.export_anim.tomb_raider(filepath=str(folder / "any.anim"), which="ALL") == {"FINISHED"}
    written = sorted(each.name for each in folder.iterdir())
    assert len(written) == 13 and written[12] == "0012_A_B.anim"
    assert (folder / written[12]).read_bytes() == lara_file("A/B")
    assert read_anim((folder / written[11]).read_bytes()).bones == 15


def test_some_animations_go_into_a_folder(level: Any, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    operator = bpy.ops.export_anim.tomb_raider
    assert operator(filepath=str(folder / "x"), which="ALL", numbers="2, 4-5") == {"FINISHED"}
    assert [each.name[:5] for each in sorted(folder.iterdir())] == ["0002_", "0004_", "0005_"]
    assert "no animations of these numbers" in fails(
        operator, filepath=str(folder / "x"), which="ALL", numbers="99"
    )
    assert "not a number" in fails(operator, filepath=str(folder / "x"), which="ALL", numbers="a")
    assert len(list(folder.iterdir())) == 3


CHANGES = [anim_change(7, anim_dispatch(0, 2, 3, 0))]


def parts(level: Any) -> tuple[int, int]:
    settings = in_use(level).tomb_raider
    return len(settings.dispatches), len(settings.events)


def test_state_changes_and_commands_are_imported_if_wanted(level: Any, tmp_path: Path) -> None:
    data = lara_file(changes=CHANGES, commands=[anim_command("PlaySound", 1, 0, 0)])
    path = write(tmp_path, "wave.anim", data)
    operator = bpy.ops.import_anim.tomb_raider
    operator(filepath=path, state_changes=False, commands=False)
    assert parts(level) == (0, 0)
    for state_changes, commands, wanted in (
        (False, True, (0, 1)),
        (True, False, (1, 0)),
        (True, True, (1, 1)),
    ):
        operator(filepath=path, state_changes=state_changes, commands=commands)
        assert parts(level) == wanted
    bare = write(tmp_path, "bare.anim", lara_file())
    operator(filepath=bare, placement="REPLACE", state_changes=False, commands=False)
    assert parts(level) == (1, 1)  # of the replaced animation
    operator(filepath=bare, placement="REPLACE")
    assert parts(level) == (0, 0)


def test_state_changes_and_commands_are_exported_if_wanted(level: Any, tmp_path: Path) -> None:
    data = lara_file(changes=CHANGES, commands=[anim_command("PlaySound", 1, 0, 0)])
    bpy.ops.import_anim.tomb_raider(filepath=write(tmp_path, "wave.anim", data))
    out = tmp_path / "out.anim"
    for state_changes in (False, True):
        for commands in (False, True):
            bpy.ops.export_anim.tomb_raider(filepath=str(out), state_changes=state_changes, commands=commands)
            found = read_anim(out.read_bytes())
            assert (len(found.state_changes), len(found.commands)) == (state_changes, commands)
    assert out.read_bytes() == data


def test_parts_that_were_not_imported_are_not_exported(level: Any, tmp_path: Path) -> None:
    data = lara_file(changes=CHANGES, commands=[anim_command("PlaySound", 1, 0, 0)])
    path, out = write(tmp_path, "wave.anim", data), tmp_path / "out.anim"
    bpy.ops.import_anim.tomb_raider(filepath=path, state_changes=False, commands=False)
    bpy.ops.export_anim.tomb_raider(filepath=str(out))
    found = read_anim(out.read_bytes())
    assert (found.state_changes, found.commands) == ((), ())


def test_the_game_of_a_file_decides_on_its_sounds(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    select(lara(root))
    path = write(tmp_path, "wave.anim", lara_file(commands=[anim_command("PlaySound", 1, 360, 0)]))
    assert bpy.ops.import_anim.tomb_raider(filepath=path, game="TR4") == {"FINISHED"}
    assert not in_use(root).tomb_raider.events


def test_files_that_do_not_fit_change_nothing(level: Any, tmp_path: Path) -> None:
    operator = bpy.ops.import_anim.tomb_raider
    other = write(tmp_path, "other.anim", anim_file(bones=2))
    text = fails(operator, filepath=other)
    assert "other.anim was not imported: it is of a model with 2 bones, and Lara has 15" in text
    comma = write(tmp_path, "comma.anim", lara_file().replace(b"-8.25", b"-8,25"))
    assert "line 28" in fails(operator, filepath=comma)
    assert "No such file" in fails(operator, filepath=str(tmp_path / "missing.anim"))
    good = write(tmp_path, "good.anim", lara_file())
    files = [{"name": "good.anim"}, {"name": "other.anim"}]
    text = fails(operator, directory=str(tmp_path), files=files, placement="REPLACE")
    assert "Choose a single file to replace the animation in use" in text
    assert "Choose files to import" in fails(operator)
    lara(level).animation_data.action = None
    text = fails(operator, filepath=good, placement="KEYS")
    assert "no animation of it is in use that could be replaced" in text
    assert "it has no animation to export" in fails(
        bpy.ops.export_anim.tomb_raider, filepath=str(tmp_path / "x.anim")
    )


def test_without_a_model_both_are_disabled_with_the_reason(level: Any) -> None:
    select()
    for operator in (bpy.ops.import_anim.tomb_raider, bpy.ops.export_anim.tomb_raider):
        assert not operator.poll()
        with pytest.raises(RuntimeError, match="Make a model of a level active first"):
            operator(filepath="x.anim")


def test_missing_targets_of_transitions_are_empty(level: Any, tmp_path: Path) -> None:
    changes = [anim_change(1, anim_dispatch(0, 2, 99, 0))]
    path = write(tmp_path, "wave.anim", lara_file(changes=changes))
    bpy.ops.import_anim.tomb_raider(filepath=path)
    assert in_use(level).tomb_raider.dispatches[0].action == ""


def test_the_file_browser_begins_with_the_name_of_the_animation(level: Any) -> None:
    opened: list[str] = []
    manager = SimpleNamespace(fileselect_add=lambda operator: opened.append(operator.filepath))
    real = bpy.context
    context: Any = SimpleNamespace(
        window_manager=manager, object=real.object, scene=real.scene, view_layer=real.view_layer
    )
    kind: Any = bpy.types.EXPORT_ANIM_OT_tomb_raider
    kind.invoke(SimpleNamespace(filepath="", format="ANIM", bl_label=kind.bl_label), context, None)
    assert [Path(each).name for each in opened] == [f"{in_use(level).name}.anim"]


def test_wadmerger_gets_numbers_relative_to_the_animation(level: Any, tmp_path: Path) -> None:
    name = write(tmp_path, "0003_A.anim", lara_file("A"))
    bpy.ops.import_anim.tomb_raider(filepath=name)
    actions = [row.action for row in lara(level).tomb_raider.model.animations]
    number = actions.index(in_use(level))
    assert bpy.ops.export_anim.tomb_raider(filepath=str(tmp_path / "out.trw")) == {"FINISHED"}
    found, before = read_trw((tmp_path / "out.trw").read_bytes()), read_anim(Path(name).read_bytes())
    assert found.is_relative and found.next_animation == 11 - number
    assert found.keys == before.keys and np.abs(found.angles - before.angles).max() <= 32
    folder = tmp_path / "all"
    folder.mkdir()
    bpy.ops.export_anim.tomb_raider(filepath=str(folder / "x"), which="ALL", format="TRW")
    assert {each.suffix for each in folder.iterdir()} == {".trw"}
    # Back in, it leads where it led.
    bpy.ops.import_anim.tomb_raider(filepath=str(tmp_path / "out.trw"), placement="REPLACE")
    bpy.ops.export_anim.tomb_raider(filepath=str(tmp_path / "again.anim"))
    assert read_anim((tmp_path / "again.anim").read_bytes()).next_animation == before.next_animation == 11
