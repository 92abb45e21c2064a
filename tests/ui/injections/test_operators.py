"""Edits of TRX as users change them: the list, Apply, Delete, Import Injection and Export Injection."""

from __future__ import annotations

import struct
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.injections.apply import apply_injection
from io_tomb_raider.formats.edits.injections.edits import edits_of
from io_tomb_raider.formats.edits.injections.fit import read_for_level
from io_tomb_raider.formats.edits.patches.patch import apply_patch, read_patch
from io_tomb_raider.formats.levels.injections.block import read_block
from tests.formats.levels.injections.samples import packed, sector, t1mj, trxi, trxj
from tests.sample_levels import sample_bytes
from tests.scene.scenes import UNIT, objects
from tests.scene.subjects.injections.blocks import GAMES, climb, floor, name, sample
from tests.ui.user_actions import FILE_NAMES, error_of, export_file, import_file, levels

each_game = pytest.mark.parametrize("game", GAMES)
LARA, WOLF, LAST = 0, 1, 7  # entities of the samples
Block = tuple[int, int, bytes]


def move(item: int, x: int = 1536) -> Block:
    return 18, 1, struct.pack("<2h3ih", item, 0x4000, x, 0, 2560, 0)


def new_item(text: str = "") -> tuple[int, bytes]:
    data = text.encode()
    return 4, struct.pack("<2ih3i2hHi", 0, 5, 1, 1536, 0, 1536, 0, -1, 0, len(data)) + data


def speed(value: int) -> Block:
    return 34, 1, struct.pack("<4i", 0, 0, 0, value << 16)


def level_with(tmp_path: Path, game: Game, *blocks: Block) -> Any:
    """Import a sample level with a block."""
    path = tmp_path / FILE_NAMES[game]
    path.write_bytes(sample(game, *blocks) if blocks else sample_bytes(game))
    return import_file(path)


def labels(root: Collection) -> list[tuple[str, str, bool]]:
    from io_tomb_raider.scene.subjects.injections.edits import label_of, subject_of

    return [(subject_of(each), label_of(each), each.is_enabled) for each in root.tomb_raider.edits]


def written(root: Collection, tmp_path: Path) -> Level:
    """Export a level by its operator, and read it."""
    suffix = Path(root.tomb_raider.source).suffix
    return read_level(export_file(tmp_path / f"out{suffix}", collection=root.name))


def kinds(level: Level) -> list[str]:
    block = read_block(level)
    return [] if block is None else [str(edit.label) for edit in edits_of(block)]


# --- The list ---------------------------------------------------------------------------------------


@each_game
def test_edits_are_listed_with_their_objects_and_a_click_selects(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = level_with(
        tmp_path,
        game,
        floor(sector(1, 1, 1, climb(2), new_item())),
        move(WOLF),
        speed(9),
        (37, 1, name(0, "a")),
    )
    room, wolf = objects(root, "ROOM")[1], objects(root, "ENTITY")[WOLF]
    assert labels(root) == [
        (room.name, "New entity", True),
        (wolf.name, "Move an entity", True),
        ("Lara", "Speed of an animation", True),
    ]
    assert bpy.ops.tomb_raider.show_edit(number=1) == {"FINISHED"}
    assert bpy.context.selected_objects == [wolf] and root.tomb_raider.active_edit == 1
    wolf.name = "Wolf at the gate"
    assert labels(root)[1][0] == "Wolf at the gate"
    assert bpy.ops.tomb_raider.show_edit(number=2) == {"FINISHED"}  # in the hidden library
    assert [each.tomb_raider.kind for each in bpy.context.selected_objects] == ["MODEL"]
    bpy.data.objects.remove(wolf)
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.show_edit(number=1) == {"FINISHED"}


@each_game
def test_a_disabled_edit_is_not_exported_and_comes_back(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = level_with(tmp_path, game, floor(sector(1, 1, 1, climb(2), new_item())), move(WOLF), speed(9))
    data = sample(game, floor(sector(1, 1, 1, climb(2), new_item())), move(WOLF), speed(9))
    root.tomb_raider.edits[1].is_enabled = False
    level = written(root, tmp_path)
    assert kinds(level) == ["New entity", "Speed of an animation"]
    block = read_block(level)
    assert block is not None and block.records(17)[0]["edits"][0] == {"type": 11, "climb": 2}
    path = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    (root,) = levels()
    assert [each.is_enabled for each in root.tomb_raider.edits] == [True, False, True]
    root.tomb_raider.edits[1].is_enabled = True
    assert written(root, tmp_path).to_bytes() == data


def test_disabled_edits_follow_the_scene(blender: ModuleType, tmp_path: Path) -> None:
    root = level_with(tmp_path, Game.TR1, move(WOLF), move(3, 2048))
    root.tomb_raider.edits[0].is_enabled = False
    bpy.data.objects.remove(objects(root, "ENTITY")[2])
    bpy.context.view_layer.update()
    block = read_block(written(root, tmp_path))
    assert block is not None and [each["item"] for each in block.records(18)] == [2]


@each_game
def test_edits_are_deleted(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = level_with(tmp_path, game, move(WOLF), move(3), speed(9))
    root.tomb_raider.edits[2].is_enabled = False
    root.tomb_raider.active_edit = 0
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.delete_edits(scope="ACTIVE") == {"FINISHED"}
    assert [each[1:] for each in labels(root)] == [
        ("Move an entity", True),
        ("Speed of an animation", False),
    ]
    assert kinds(written(root, tmp_path)) == ["Move an entity"]
    assert bpy.ops.tomb_raider.delete_edits(scope="ALL") == {"FINISHED"}
    assert not len(root.tomb_raider.edits)
    assert written(root, tmp_path).to_bytes() == sample_bytes(game)
    assert "there are no such edits" in error_of(bpy.ops.tomb_raider.delete_edits, scope="ALL")


def test_edits_of_older_files_are_listed_on_demand(blender: ModuleType, tmp_path: Path) -> None:
    root = level_with(tmp_path, Game.TR2, move(WOLF), move(3))
    root.tomb_raider.edits.clear()
    assert bpy.ops.tomb_raider.refresh_edits() == {"FINISHED"}
    assert len(root.tomb_raider.edits) == 2


# --- Apply --------------------------------------------------------------------------------------------


@each_game
def test_an_applied_edit_changes_the_level_and_disappears(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = level_with(tmp_path, game, floor(sector(1, 1, 1, climb(2), new_item("gun"))), move(WOLF), speed(9))
    root.name, root.tomb_raider.title = "My Level", "Title"
    own = bpy.data.objects.new("My own", None)
    root.objects.link(own)
    objects(root, "ENTITY")[LARA].location.x += 512 * UNIT
    objects(root, "ENTITY")[3].name = "Lever"
    names = [each.name for kind in ("ENTITY", "ROOM", "MODEL") for each in objects(root, kind)]
    before = written(root, tmp_path)
    root.tomb_raider.edits[2].is_enabled = False
    root.tomb_raider.active_edit = 1
    assert bpy.ops.tomb_raider.apply_edits(scope="ACTIVE") == {"FINISHED"}
    (root,) = levels()
    assert (root.name, root.tomb_raider.title) == ("My Level", "Title") and own.name == "My own"
    assert [each[1:] for each in labels(root)] == [("New entity", True), ("Speed of an animation", False)]
    assert names == [each.name for kind in ("ENTITY", "ROOM", "MODEL") for each in objects(root, kind)]
    level = written(root, tmp_path)
    assert [int(level.entities[name][WOLF]) for name in ("x", "z", "room")] == [1536, 2560, 0]
    assert level.entities["x"][LARA] == before.entities["x"][LARA]
    assert kinds(level) == ["New entity"]
    assert bpy.ops.tomb_raider.apply_edits(scope="ALL") == {"FINISHED"}
    (root,) = levels()
    level = written(root, tmp_path)
    assert not len(root.tomb_raider.edits) and len(level.entities) == len(before.entities) + 1
    assert objects(root, "ENTITY")[-1].tomb_raider.entity.script_name == "gun"
    block = read_block(level)
    assert block is not None
    assert block.records(37) == [{"item": LAST + 1, "name": "gun"}]
    assert block.records(17)[0]["edits"] == [{"type": 11, "climb": 2}]


def test_numbers_of_new_entities_follow_one_that_is_applied(blender: ModuleType, tmp_path: Path) -> None:
    records = sector(1, 1, 1, new_item()) + sector(0, 1, 1, new_item())
    names = name(LAST + 1, "first") + name(LAST + 2, "second")
    root = level_with(tmp_path, Game.TR1, (17, 2, records), (37, 2, names))
    root.tomb_raider.active_edit = 1
    assert bpy.ops.tomb_raider.apply_edits(scope="ACTIVE") == {"FINISHED"}
    block = read_block(written(levels()[0], tmp_path))
    assert block is not None
    assert sorted((each["item"], each["name"]) for each in block.records(37)) == [
        (LAST + 1, "second"),
        (LAST + 2, "first"),
    ]


def test_edits_that_only_the_engine_supports_are_kept_and_reported(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = level_with(tmp_path, Game.TR2, move(WOLF), (36, 1, struct.pack("<4i", 0, 0, 0, 1)))
    assert bpy.ops.tomb_raider.apply_edits(scope="ALL") == {"FINISHED"}
    (root,) = levels()
    assert [each[1] for each in labels(root)] == ["Model that uses the data of another"]
    assert "was not applied: only the engine can do this" in capfd.readouterr().out
    assert "nothing could be applied" in error_of(bpy.ops.tomb_raider.apply_edits, scope="ALL")
    assert levels() == [root]


def test_undo_reverts_apply(blender: ModuleType, tmp_path: Path) -> None:
    root = level_with(tmp_path, Game.TR1, move(WOLF), speed(9))
    x = objects(root, "ENTITY")[WOLF].location.x
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.apply_edits(scope="ALL") == {"FINISHED"}
    bpy.ops.ed.undo_push(message="after")
    assert objects(levels()[0], "ENTITY")[WOLF].location.x != x
    bpy.ops.ed.undo()
    (root,) = levels()
    assert objects(root, "ENTITY")[WOLF].location.x == x
    assert len(root.tomb_raider.edits) == 2
    assert written(root, tmp_path).to_bytes() == sample(Game.TR1, move(WOLF), speed(9))


def test_undo_reverts_delete(blender: ModuleType, tmp_path: Path) -> None:
    root = level_with(tmp_path, Game.TR2, move(WOLF), speed(9))
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.delete_edits(scope="ALL") == {"FINISHED"}
    bpy.ops.ed.undo_push(message="after")
    assert kinds(written(levels()[0], tmp_path)) == []
    bpy.ops.ed.undo()
    (root,) = levels()
    assert len(root.tomb_raider.edits) == 2
    assert written(root, tmp_path).to_bytes() == sample(Game.TR2, move(WOLF), speed(9))


@pytest.mark.parametrize("change", ["apply_edits", "delete_edits"])
def test_patches_and_injections_are_for_the_imported_file(
    blender: ModuleType, tmp_path: Path, change: str
) -> None:
    level_with(tmp_path, Game.TR1, move(WOLF), speed(9))
    data = sample(Game.TR1, move(WOLF), speed(9))
    for _ in range(2):
        levels()[0].tomb_raider.active_edit = 0
        assert getattr(bpy.ops.tomb_raider, change)(scope="ACTIVE") == {"FINISHED"}
    path = tmp_path / "a.trpatch"
    assert bpy.ops.export_scene.tomb_raider_patch(filepath=str(path)) == {"FINISHED"}
    made = apply_patch(data, read_patch(path.read_bytes()))
    assert not made.is_merged and made.data == written(levels()[0], tmp_path).to_bytes()
    path = tmp_path / "a.bin"
    assert bpy.ops.export_scene.tomb_raider_injection(filepath=str(path)) == {"FINISHED"}
    assert path.exists() == (change == "apply_edits")


# --- Files ----------------------------------------------------------------------------------------------


def injection(tmp_path: Path, *blocks: Block, tests: tuple[int, bytes] = (0, b"")) -> str:
    path = tmp_path / "edit.bin"
    path.write_bytes(trxj(9, blocks, tests=tests))
    return str(path)


@each_game
def test_an_injection_is_applied_or_kept(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = injection(tmp_path, move(WOLF), speed(9))
    root = level_with(tmp_path, game)
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=path, use="KEEP") == {"FINISHED"}
    assert levels() == [root] and [each[1] for each in labels(root)] == [
        "Move an entity",
        "Speed of an animation",
    ]
    level = written(root, tmp_path)
    assert level.entities.tobytes() == read_level(sample_bytes(game)).entities.tobytes()
    assert kinds(level) == ["Move an entity", "Speed of an animation"]
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=path, use="APPLY") == {"FINISHED"}
    (root,) = levels()
    level = written(root, tmp_path)
    assert int(level.entities["x"][WOLF]) == 1536 and len(root.tomb_raider.edits) == 2


@each_game
@pytest.mark.parametrize("use", ["APPLY", "KEEP"])
def test_ladders_of_an_injection_are_those_of_the_scene(
    blender: ModuleType, tmp_path: Path, game: Game, use: str
) -> None:
    path = injection(tmp_path, floor(sector(0, 1, 1, climb(2))), (37, 1, name(WOLF, "wolf")))
    level_with(tmp_path, game)
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=path, use=use) == {"FINISHED"}
    (root,) = levels()
    assert objects(root, "ENTITY")[WOLF].tomb_raider.entity.script_name == "wolf"
    assert root.tomb_raider.engine == "TRX" and not len(root.tomb_raider.edits)
    from io_tomb_raider.formats.levels.views.decoded import Decoded

    decoded = Decoded(written(root, tmp_path))
    room = decoded.level.rooms[0]
    assert decoded.sectors.climb[int(decoded.grid.starts[0]) + room.z_sectors + 1] == 2


def test_an_injection_follows_the_edits_of_the_scene(blender: ModuleType, tmp_path: Path) -> None:
    root = level_with(tmp_path, Game.TR1)
    bpy.data.objects.remove(objects(root, "ENTITY")[WOLF])
    bpy.context.view_layer.update()
    path = injection(tmp_path, move(3), move(WOLF))
    data = trxj(9, [(18, 2, move(3)[2] + move(WOLF)[2])])
    Path(path).write_bytes(data)
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=path) == {"FINISHED"}
    level = written(levels()[0], tmp_path)
    assert level.entities["x"][2] == 1536 and level.entities["x"][1] != 1536


@pytest.mark.parametrize("use", ["APPLY", "KEEP"])
def test_edits_of_elements_that_the_level_lacks_are_left_out(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str], use: str
) -> None:
    level_with(tmp_path, Game.TR1)
    lost = floor(sector(99, 0, 0, (3, struct.pack("<2Ii", 1024, 0, 0))))
    path = injection(tmp_path, lost, move(WOLF))
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=path, use=use) == {"FINISHED"}
    assert "one edit was left out" in capfd.readouterr().out
    block = read_block(written(levels()[0], tmp_path))
    assert block is None or not block.records(17)


def test_injections_that_do_not_fit_are_error_of(blender: ModuleType, tmp_path: Path) -> None:
    load = bpy.ops.import_scene.tomb_raider_injection
    root = level_with(tmp_path, Game.TR2)
    path = tmp_path / "a.bin"
    for data, problem in (
        (b"TRXI" + bytes(40), "this version of injections is unknown"),
        (t1mj(8), "this injection is for TR1, and the level is one of TR2"),
        (b"RIFF" + bytes(40), "this is a file of cutscenes"),  # as far as its suffix says
        (trxj(13, []), "this version of injections is unknown"),
        (trxj(9, [move(WOLF)])[:-3], "the file ends too early"),
    ):
        path.write_bytes(data)
        text = error_of(load, filepath=str(path))
        assert "a.bin was not imported: " in text and problem in text
    rooms = struct.pack("<2i", 1, 99)
    other = injection(tmp_path, move(WOLF), tests=(1, rooms))
    assert "it is for another level (the level has 4 rooms, not 99)" in error_of(load, filepath=other)
    assert levels() == [root] and not len(root.tomb_raider.edits)
    assert load(filepath=other, ignore_tests=True, use="KEEP") == {"FINISHED"}
    assert len(root.tomb_raider.edits) == 1
    bpy.ops.tomb_raider.delete_level()
    (tmp_path / "x.tr4").write_bytes(sample_bytes(Game.TR4))
    import_file(tmp_path / "x.tr4")
    assert "only levels of TR1 to TR3 can have edits for TRX" in error_of(load, filepath=other)


@each_game
def test_an_exported_injection_makes_the_scene_of_the_original(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = level_with(tmp_path, game)
    save, path = bpy.ops.export_scene.tomb_raider_injection, tmp_path / "mod.bin"
    assert save(filepath=str(path)) == {"FINISHED"} and not path.exists()  # nothing was edited
    objects(root, "ENTITY")[WOLF].location.x += 512 * UNIT
    room = objects(root, "ROOM")[1]
    room.data.vertices[0].co.z += 128 * UNIT
    bpy.context.view_layer.update()
    edited = written(root, tmp_path)
    assert save(filepath=str(path)) == {"FINISHED"}
    base = read_level(sample_bytes(game))
    fitting = read_for_level(path.read_bytes(), base)
    result = apply_injection(fitting.injection, base).level
    assert result.entities.tobytes() == edited.entities.tobytes()
    assert result.rooms[1].vertices["y"].tolist() == edited.rooms[1].vertices["y"].tolist()
    assert path.read_bytes()[:8] == struct.pack("<4si", b"TRXI", 1)
    assert fitting.injection.game is game and not fitting.failed
    assert save(filepath=str(path), engine="TRXJ") == {"FINISHED"}
    assert path.read_bytes()[:8] == struct.pack("<4si", b"TRXJ", 11)
    retail = tmp_path / "retail.phd"
    retail.write_bytes(sample_bytes(game))
    assert save(filepath=str(path), base=str(retail)) == {"FINISHED"}


@each_game
def test_a_block_of_trxi_stays_one(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its sounds count their waves apart from the flags. Unknown parts stay."""
    sound = struct.pack("<hHHbBHB", 5, 100, 0, 0, 10, 1, 1) + b"\0" + struct.pack("<I", 4) + b"RIFF"
    names = (37, 1, struct.pack("<hi", WOLF, 1) + b"a")
    block = trxi((9, 1, [(44, 1, bytes(4))]), (5, 1, [(14, 1, sound)]), (6, 1, [names, move(LAST)]))
    path = tmp_path / FILE_NAMES[game]
    path.write_bytes(sample_bytes(game) + block)
    root = import_file(path)
    assert [each[1] for each in labels(root)] == ["Move an entity"]
    assert written(root, tmp_path).to_bytes() == path.read_bytes()
    assert "unknown parts" not in capfd.readouterr().out
    objects(root, "ENTITY")[WOLF].location.x += 512 * UNIT
    bpy.context.view_layer.update()
    written(root, tmp_path)
    assert "unknown parts, which stay as they were" in capfd.readouterr().out
    objects(root, "ENTITY")[WOLF].tomb_raider.entity.script_name = "b"
    added = injection(tmp_path, (21, 1, struct.pack("<6h", 1, 0, 0, 0, 0, 0)), speed(9))
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=added, use="KEEP") == {"FINISHED"}
    level = written(levels()[0], tmp_path)
    new = read_block(level)
    assert new is not None and level.footer[:4].tobytes() == b"TRXI"
    assert (9, packed((44, 1, bytes(4)))) in [(chunk.type, chunk.content) for chunk in new.chunks]
    assert new.records(37) == [{"item": WOLF, "name": "b"}] and len(new.records(34)) == 1
    (record,) = new.records(14)
    assert (record["flags"], record["waves"]) == (1, [b"RIFF"])


def test_files_and_blocks_that_versions_of_trx_misread_are_reported(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Check Level lists the files in the level's folder, and an export those in its own."""
    sizes = (21, 1, struct.pack("<6h", 1, 0, 0, 0, 0, 0))
    root = level_with(tmp_path, Game.TR1, sizes)
    (tmp_path / "old.bin").write_bytes(t1mj(9))
    (tmp_path / "new.bin").write_bytes(trxi())
    (tmp_path / "damaged.bin").write_bytes(trxi()[:-1])
    (tmp_path / "other.bin").write_bytes(b"something else")
    assert bpy.ops.tomb_raider.check_level() == {"FINISHED"}
    found = {(each.severity, each.subject, each.text) for each in root.tomb_raider.findings}
    files = {each for each in found if each[1].endswith(".bin")}
    old = "TRX does not read T1MJ files since 2025. Import it, and export it again"
    assert {each for each in files if each[1] != "damaged.bin"} == {
        ("WARNING", "old.bin", old),
        ("INFO", "new.bin", "TRX 1.10 and older do not read TRXI 1"),
    }
    (damaged,) = (each[2] for each in files if each[1] == "damaged.bin")
    assert damaged.startswith("it cannot be read (the file ends too early")
    misread = "misread the sizes of rooms in version 9"
    assert [each[0] for each in found if misread in each[2]] == ["INFO"]  # as in the file
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "other.bin").write_bytes(trxj(5, []))
    capfd.readouterr()
    assert export_file(folder / "out.phd", collection=root.name) == sample(Game.TR1, sizes)
    text = capfd.readouterr().out
    assert "other.bin: TRX 1.11 and newer do not read TRXJ 5" in text and "old.bin" not in text


def test_unsupported_changes_are_listed_by_object(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = level_with(tmp_path, Game.TR1)
    light = next(each for each in objects(root, "LIGHT"))
    light.location.x += 100 * UNIT
    entity = objects(root, "ENTITY")[WOLF]
    entity.tomb_raider.entity.type = 9
    bpy.context.view_layer.update()
    path = tmp_path / "mod.bin"
    assert bpy.ops.export_scene.tomb_raider_injection(filepath=str(path)) == {"FINISHED"}
    found = {each.subject: each.text for each in root.tomb_raider.findings}
    assert set(found) == {light.parent.name, entity.name}
    assert found[light.parent.name] == "an injection cannot hold this change (lights: 1 differ)"
    assert found[entity.name].startswith("an injection cannot hold this change (type 9 instead of")
    assert "nothing to export" in capfd.readouterr().out and not path.exists()
    other = tmp_path / "other.tr2"
    other.write_bytes(sample_bytes(Game.TR2))
    text = error_of(bpy.ops.export_scene.tomb_raider_injection, filepath=str(path), base=str(other))
    assert "the unmodified level is one of TR2, the other one of TR1" in text
