"""A kit has the library of a level with the same appearance, and an empty world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.new_levels.kit import kit_of
from io_tomb_raider.formats.levels.level.footer import LEVEL_FLAGS, ROOM_FLAGS, footer_of, put_footer
from io_tomb_raider.formats.levels.level.level_pages import page_count, pages_of
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample, sample_level

_WORLD = ("rooms", "entities", "cameras", "sound_sources", "boxes", "overlaps", "ai_objects", "flyby_cameras")
_NO_LIBRARY = ("tr3-textiles",)


def _shown(level: Level, records: NDArray[Any]) -> list[bytes]:
    """Return the whole page and all other fields of each of some textures or sprites."""
    pages = decode_pages(pages_of(level))
    digests = [page.tobytes() for page in pages]
    out = []
    for record in records:
        number = int(record["page"]) & 0x7FFF
        rest = record.copy()
        rest["page"] = int(record["page"]) & 0x8000
        out.append((digests[number] if number < len(digests) else b"") + rest.tobytes())
    return out


def _faces(level: Level) -> list[tuple[Any, ...]]:
    """Return all faces of all meshes: corners, flags, effects, and the content of their texture."""
    mask = 0x7FFF if level.game >= Game.TR3 else 0xFFFF
    shown = _shown(level, level.object_textures)
    groups = decode_animated(level.animated_textures).groups
    frames = [tuple(shown[each] for each in group) for group in groups]
    played = {each: frames[at] for at, group in enumerate(groups) for each in group}
    out: list[tuple[Any, ...]] = []
    for mesh in decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes:
        for faces in (mesh.quads, mesh.triangles):
            for face in faces:
                index = int(face["texture"]) & mask
                texture = shown[index] if index < len(shown) else b"missing"
                rest = face.copy()
                rest["texture"] = int(face["texture"]) & ~mask & 0xFFFF
                out.append((rest.tobytes(), texture, played.get(index)))
        out += [(each.tobytes(),) for each in (mesh.colored_quads, mesh.colored_triangles, mesh.vertices)]
    return out


def _check(level: Level) -> Level:
    kit = kit_of(level)
    read = read_level(kit.to_bytes(), name=".trc" if level.game is Game.TR5 else "")
    assert read.to_bytes() == kit.to_bytes()
    assert not any(len(getattr(read, name)) for name in _WORLD if name in vars(read))
    assert _faces(read) == _faces(level)
    assert _shown(read, read.sprite_textures) == _shown(level, level.sprite_textures)
    animated = (
        () if level.game is Game.TR1 else ("models", "animations", "frames")
    )  # by menu models, see below
    for name in ("static_meshes", "mesh_trees", "sprite_sequences", *animated):
        assert np.array_equal(getattr(read, name), getattr(level, name)), name
    return read


@pytest.mark.parametrize("sample", [name for name in SAMPLES if name not in _NO_LIBRARY])
def test_a_kit_keeps_the_library_and_sounds_of_its_level(sample: str) -> None:
    level = read_level(named_sample(sample), name=sample)
    kit = _check(level)
    # Textures that only rooms use are removed.
    assert len(kit.object_textures) < len(level.object_textures)
    if sample != "tr2-demo":
        assert np.array_equal(kit.sound_map, level.sound_map)
        assert sample_waves(kit) == sample_waves(level)
    else:
        assert (kit.sound_map == -1).all() and not len(kit.sound_details)


@each_real_level
def test_kits_of_real_levels(level_path: Path) -> None:
    level = read_level(level_path)
    if len(level.models):
        assert page_count(_check(level)) <= page_count(level)


def test_pages_that_only_rooms_showed_are_left_out() -> None:
    for game in (Game.TR2, Game.TR4):
        level = sample_level(game)
        before = page_count(kit_of(level))
        number = page_count(level)
        for name in ("textiles8", "textiles16", "textiles32"):
            if name in vars(level):
                pages = getattr(level, name)
                setattr(level, name, np.concatenate([pages[:1], pages]))
        for name in ("object_textures", "sprite_textures"):
            records = getattr(level, name).copy()
            records["page"] += 1
            setattr(level, name, records)
        if game is Game.TR4:
            level.room_textiles += 1
        assert page_count(level) == number + 1
        kit = _check(level)
        assert page_count(kit) == before
        if game is Game.TR4:
            assert kit.room_textiles + kit.object_textiles + kit.bump_textiles == before


def test_kits_keep_bumped_pages_and_height_maps_last() -> None:
    level = sample_level(Game.TR4)
    assert kit_of(level).bump_textiles == 0  # only rooms use them
    meshes = decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes
    mesh = next(each for each in meshes if len(each.quads))
    records = level.object_textures.copy()
    records["page"][int(mesh.quads["texture"][0]) & 0x7FFF] = level.room_textiles + level.object_textiles
    level.object_textures = records
    kit = _check(level)
    assert kit.bump_textiles == level.bump_textiles == 2
    assert (kit.textiles32[-2:] == level.textiles32[-2:]).all()


def test_kits_keep_level_flags_but_not_room_flags_of_the_footer() -> None:
    level = sample_level(Game.TR4, trng=True)
    footer = footer_of(level)
    assert footer is not None
    put_footer(level, footer.with_chunk(ROOM_FLAGS, b"\4\0" + bytes(32)))
    kept = footer_of(read_level(kit_of(level).to_bytes()))
    assert kept is not None
    assert kept.get(ROOM_FLAGS) is None and kept.get(LEVEL_FLAGS) == footer.get(LEVEL_FLAGS)


def test_files_of_texture_pages_are_refused_as_kit() -> None:
    with pytest.raises(ExportError, match="texture pages only"):
        kit_of(sample_level(Game.TR3, textiles_only=True))


def test_models_in_the_menu_have_an_animation() -> None:
    """TR1 shows an item that is picked up with the first animation of its model in the menu."""
    level = sample_level(Game.TR1)
    before, after = Decoded(level), Decoded(read_level(kit_of(level).to_bytes()))
    row = before.level.models["id"].tolist().index(108)
    assert before.model_animations[1][row] == 0 and after.model_animations[1][row] == 1
    number = int(after.model_animations[0][row])
    keys = after.keys.keys(number)
    assert len(keys.angles) == 1 and not keys.angles.any() and keys.boxes.any()
    assert after.level.animations["next_animation"][number] == number
    # All others keep theirs.
    others = np.arange(len(level.models)) != row
    assert (after.model_animations[1][others] == before.model_animations[1][others]).all()
