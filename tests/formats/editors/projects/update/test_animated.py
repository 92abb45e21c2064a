"""Edited animated textures of a level are written into the animated sets of its project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.compile.textures.animated import ANIMATIONS
from io_tomb_raider.formats.editors.projects.from_level.rooms.animated import corner_tuple
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import AnimatedSet, AnimationFrame
from io_tomb_raider.formats.editors.projects.update.state import Updated
from io_tomb_raider.formats.editors.projects.update.update import update_project
from io_tomb_raider.formats.levels.level.footer import footer_of, put_footer
from io_tomb_raider.formats.levels.textures.animated import decode_animated, encode_animated
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.views.decoded import Decoded

from ..animated_samples import (
    animated_project,
    animated_set,
    animated_sets,
    check_played,
    compile_animated,
    picture,
    played,
    tile_corners,
)
from ..compiling import load_png

CHOICES = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3), st.booleans()), min_size=1, max_size=9)
Groups = list[list[int]]

# Faces show the first and second set, and plain tiles 8 and 9.
_SETS = ([0, 1, 2], [4, 5])
_CHOICES = [(0, 0, False), (4, 0, False), (8, 0, False), (9, 0, False), (1, 1, True)]


class Edit:
    """A compiled project, and the project that an edit of its level gives."""

    def __init__(
        self, folder: Path, sets: list[AnimatedSet], edit: Callable[[Level], None], version: int = 4
    ) -> None:
        self.folder = folder
        project = animated_project(Game.TR4, folder, sets, _CHOICES, version)
        self.content = project.to_bytes()
        self.compiled: Compiled = compile_animated(read_project(self.content), folder)
        level = self.compiled.level.copy()
        edit(level)
        self.level = level
        self.project: Project = read_project(self.content)
        self.updated: Updated = update_project(self.project, self.compiled, Decoded(level), "edited")
        self.sets = self.project.settings.animated_sets

    def tiles(self, number: int = 0) -> list[tuple[int, int]]:
        """Return the tile and the repetitions of each frame of a set, -1 for other corners."""
        known = {tile_corners(tile): tile for tile in range(16)}
        return [(known.get(each.corners, -1), each.repeat) for each in self.sets[number].frames]

    def again(self) -> Compiled:
        """Return the project compiled again."""
        for name, content in self.updated.files.items():
            (self.folder / name).write_bytes(content)

        def load(path: Path) -> np.ndarray:
            return load_png(path) if path.name in self.updated.files else picture(path)

        project = read_project(self.project.to_bytes())
        return compile_project(project, Resources(paths_of(project.settings, self.folder / "p.prj2"), load))


def _edited(edit: Callable[[Groups], Groups | None]) -> Callable[[Level], None]:
    def change(level: Level) -> None:
        groups = [list(each) for each in decode_animated(level.animated_textures).groups]
        made = edit(groups)
        level.animated_textures = encode_animated(groups if made is None else made)

    return change


def _area(compiled: Compiled, tile: int) -> np.ndarray:
    """Return where the pages show a tile."""
    corner = tile_corners(tile)[0]
    return next(each for each in compiled.origin.areas if tuple(each[6:8]) == corner)


def _numbers(compiled: Compiled, tiles: Sequence[int]) -> list[int]:
    """Return the object textures that show whole tiles of the image, which are in no set."""
    table = decode_object_textures(compiled.level.object_textures, Game.TR4)
    found = []
    for tile in tiles:
        area = _area(compiled, tile)
        low = compiled.level.object_textures["uv"].astype(int).min(axis=1) + 129 >> 8
        rows = (table.page == area[0]) & (low == area[1:3]).all(axis=1) & ~table.triangle
        found.append(int(np.flatnonzero(rows)[0]))
    return found


def _sets() -> list[AnimatedSet]:
    return [animated_set(f"Set {number}", tiles, fps=10) for number, tiles in enumerate(_SETS)]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(animated_sets(), CHOICES, st.sampled_from([4, 16]))
def test_unedited_sets_keep_their_bytes(
    sets: list[AnimatedSet], choices: list[tuple[int, int, bool]], version: int
) -> None:
    with TemporaryDirectory() as name:
        project = animated_project(Game.TR4, Path(name), sets, choices, version)
        content = project.to_bytes()
        compiled = compile_animated(read_project(content), Path(name))
    # Every sequence of rooms knows its set.
    assert set(compiled.origin.animations) <= set(range(len(sets)))
    assert len(compiled.origin.animations) == len(decode_animated(compiled.level.animated_textures).groups)
    project = read_project(content)
    level = compiled.level.copy()
    level.entities = level.entities.copy()
    updated = update_project(project, compiled, Decoded(level), "edited")
    assert project.to_bytes() == content
    assert updated.files == {}


def test_frames_are_reordered_removed_and_repeated(tmp_path: Path) -> None:
    def edit(groups: Groups) -> None:
        first, _, third = groups[0]
        groups[0] = [third, first, first, first]

    made = Edit(tmp_path, _sets(), _edited(edit))
    assert made.tiles() == [(2, 1), (0, 3)]
    assert made.tiles(1) == [(4, 1), (5, 1)]
    assert (made.sets[0].name, made.sets[0].fps) == ("Set 0", 10)
    assert made.updated.files == {}
    assert made.updated.notes == []


def test_only_edited_sets_are_written_again(tmp_path: Path) -> None:
    made = Edit(tmp_path, _sets(), _edited(lambda groups: groups[0].reverse()))
    before = read_project(made.content).settings.animated_sets
    after = read_project(made.project.to_bytes()).settings.animated_sets
    assert made.tiles() == [(2, 1), (1, 1), (0, 1)]
    assert before[1].source == after[1].source
    assert before[0].source != after[0].source


def test_a_tile_of_the_image_becomes_a_frame(tmp_path: Path) -> None:
    base = compile_animated(animated_project(Game.TR4, tmp_path, _sets(), _CHOICES), tmp_path)
    (extra,) = _numbers(base, [8])
    made = Edit(tmp_path, _sets(), _edited(lambda groups: groups[0].append(extra)))
    assert made.tiles() == [(0, 1), (1, 1), (2, 1), (8, 1)]
    assert made.updated.files == {}


def test_new_and_removed_animated_textures(tmp_path: Path) -> None:
    base = compile_animated(animated_project(Game.TR4, tmp_path, _sets(), _CHOICES), tmp_path)
    second = [row for row, origin in enumerate(base.origin.animations) if origin == 1]
    new = _numbers(base, [8, 9])

    def edit(groups: Groups) -> Groups:
        return [each for row, each in enumerate(groups) if row not in second] + [new]

    made = Edit(tmp_path, _sets(), _edited(edit))
    assert [made.tiles(number) for number in range(2)] == [[(0, 1), (1, 1), (2, 1)], [(8, 1), (9, 1)]]
    assert len(made.sets) == 2
    assert made.sets[0].name == "Set 0"
    # Its faces are animated now, and those of the removed set are not.
    after = made.again()
    assert set(after.origin.animations) == {0, 1}
    shown = [each for _, (_, frames) in played(Decoded(after.level)).items() for each in [len(frames)]]
    assert {2, 3} == set(shown)


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_new_frames_begin_with_the_corner_of_their_set(turn: int, mirrored: bool, tmp_path: Path) -> None:
    sets = _sets()
    for each in sets:
        for at, frame in enumerate(each.frames):
            corners = np.roll(np.array(frame.corners)[:: -1 if mirrored else 1], turn, axis=0).tolist()
            each.frames[at] = AnimationFrame(0, corner_tuple(np.array(corners)))
    base = compile_animated(animated_project(Game.TR4, tmp_path, sets, _CHOICES), tmp_path)
    first = [row for row, origin in enumerate(base.origin.animations) if origin == 0]

    def edit(level: Level) -> None:
        # A texture that shows another tile like the first frame, with its order of corners.
        groups = [list(each) for each in decode_animated(level.animated_textures).groups]
        here, there = _area(base, 0), _area(base, 8)
        for row in first:
            record = level.object_textures[groups[row][:1]].copy()
            record["page"] = record["page"] & 0x8000 | int(there[0])
            count = 3 if record["page"][0] & 0x8000 else 4
            moved = record["uv"][0, :count] + (there[1:3] - here[1:3]) * 256
            record["uv"][0, :count] = moved
            level.object_textures = np.concatenate([level.object_textures, record])
            groups[row].append(len(level.object_textures) - 1)
        level.animated_textures = encode_animated(groups)

    made = Edit(tmp_path, sets, edit)
    (start, *_, last) = [np.array(each.corners) for each in made.sets[0].frames]
    assert (last - last.min(axis=0)).tolist() == (start - start.min(axis=0)).tolist()
    assert last.min(axis=0).tolist() == list(tile_corners(8)[0])
    assert made.updated.files == {}
    check_played(played(Decoded(made.level)), played(Decoded(made.again().level)))


def test_an_animated_texture_can_rotate(tmp_path: Path) -> None:
    def edit(level: Level) -> None:
        groups = [list(each) for each in decode_animated(level.animated_textures).groups]
        level.animated_textures = encode_animated(groups[1:2] + groups[:1] + groups[2:])
        level.uv_rotates = 1

    made = Edit(tmp_path, _sets(), edit)
    # The first two animated textures are those of the first two sets.
    assert made.compiled.origin.animations[:2] == [0, 1]
    assert [each.type for each in made.sets] == [0, 2]
    assert made.tiles(1) == [(4, 1), (5, 1)]
    assert made.again().level.uv_rotates > 0


@pytest.mark.parametrize(("word", "expected"), [(0x4000, (1, 10, 0)), (200, (0, 5, 0)), (None, (0, 10, 0))])
def test_settings_of_trng_are_saved(
    word: int | None, expected: tuple[int, float, int], tmp_path: Path
) -> None:
    def edit(level: Level) -> None:
        footer = footer_of(level)
        assert footer is not None
        chunk = bytearray(footer.get(ANIMATIONS) or b"")
        assert chunk[4:6] == (100).to_bytes(2, "little")  # ten frames in a second
        if word is None:
            # The scene does not edit the settings: they follow no other order.
            groups = [list(each) for each in decode_animated(level.animated_textures).groups]
            level.animated_textures = encode_animated(groups[::-1])
            return
        chunk[4:6] = word.to_bytes(2, "little")
        put_footer(level, footer.with_chunk(ANIMATIONS, bytes(chunk)))

    made = Edit(tmp_path, _sets(), edit, version=16)
    first = made.sets[0]
    assert (first.type, first.fps, first.uv_rotate) == expected
    assert made.tiles() == [(0, 1), (1, 1), (2, 1)]


def test_painted_frames_are_those_of_a_new_image(tmp_path: Path) -> None:
    base = compile_animated(animated_project(Game.TR4, tmp_path, _sets(), _CHOICES), tmp_path)
    area = _area(base, 1)

    def edit(level: Level) -> None:
        level.textiles32 = level.textiles32.copy()
        page, x, y, width, height = area[:5].tolist()
        level.textiles32[page, y : y + height, x : x + width, :3] = (10, 200, 100)

    made = Edit(tmp_path, _sets(), edit)
    assert list(made.updated.files) == ["edited_edited.png"]
    assert made.tiles() == [(0, 1), (-1, 1), (2, 1)]
    assert [each.texture for each in made.sets[0].frames] == [0, 1, 0]
    after = made.again()
    check_played(played(Decoded(made.level)), played(Decoded(after.level)))


def test_edits_of_animated_textures_of_object_files_are_reported(tmp_path: Path) -> None:
    base = compile_animated(animated_project(Game.TR4, tmp_path, _sets(), _CHOICES), tmp_path)
    base.origin.animations = [-1 if origin == 0 else origin for origin in base.origin.animations]
    level = base.level.copy()
    _edited(lambda groups: groups[0].reverse())(level)
    project = animated_project(Game.TR4, tmp_path, _sets(), _CHOICES)
    content = project.to_bytes()
    project = read_project(content)
    updated = update_project(project, base, Decoded(level), "edited")
    assert updated.notes == ["edits of animated textures of models belong to the object files"]
    assert project.to_bytes() == content


def test_damaged_animated_textures_change_no_set(tmp_path: Path) -> None:
    def edit(level: Level) -> None:
        level.animated_textures = np.array([9, 60000, 1], np.uint16)

    made = Edit(tmp_path, _sets(), edit)
    assert made.sets == []
    assert len(read_project(made.project.to_bytes()).rooms) == 1
