"""Animated textures of levels become animated sets, and play the same when they are compiled again."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.plan.resources import paths_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.animated import animated_sets as sets_of
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.projects.model.settings import AnimatedSet
from io_tomb_raider.formats.editors.projects.update.update import update_project
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.games import each_game
from tests.real_levels import real_projects

from ..animated_samples import (
    ROTATING,
    TRNG,
    StandIns,
    animated_project,
    animated_set,
    animated_sets,
    check_played,
    compile_animated,
    played,
    show_frames,
)
from ..compile.compile_samples import SUFFIXES
from ..compiling import Round, load_png, round_trip

CHOICES = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3), st.booleans()), min_size=1, max_size=9)


def _round(
    game: Game, sets: list[AnimatedSet], choices: list[tuple[int, int, bool]], version: int | None
) -> Round:
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = compile_animated(animated_project(game, folder, sets, choices, version), folder)
        path = folder / f"level{SUFFIXES[game]}"
        path.write_bytes(made.level.to_bytes())
        return round_trip(folder, path)


@each_game
def test_a_set_is_found_once_with_its_frames(game: Game) -> None:
    source = animated_set("Water", [3, 7, 1], repeat=2)
    found = _round(game, [source], [(7, 0, False), (7, 2, True), (9, 0, False)], None)
    (made,) = found.project().settings.animated_sets
    assert (made.type, [frame.repeat for frame in made.frames]) == (0, [2, 1, 1])
    assert len(played(found.before)) > 20
    check_played(played(found.before), played(found.after))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(animated_sets(), CHOICES, st.sampled_from([4, TRNG, 5]))
def test_sets_of_all_kinds_play_the_same(
    sets: list[AnimatedSet], choices: list[tuple[int, int, bool]], version: int
) -> None:
    found = _round(Game.TR5 if version == 5 else Game.TR4, sets, choices, version)
    before = played(found.before)
    if before:
        check_played(before, played(found.after))
    assert found.before.level.uv_rotates == found.after.level.uv_rotates


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(animated_sets(rotating=False), CHOICES, st.sampled_from([Game.TR1, Game.TR2, Game.TR3]))
def test_sets_of_old_games_play_the_same(
    sets: list[AnimatedSet], choices: list[tuple[int, int, bool]], game: Game
) -> None:
    found = _round(game, sets, choices, None)
    before = played(found.before)
    if before:
        check_played(before, played(found.after))


@pytest.mark.parametrize(
    "source",
    [
        animated_set("Frames", [1, 2], 0, fps=10),
        animated_set("P-frames", [1, 2], 1),
        animated_set("Rotate", [1], 2, fps=20, uv_rotate=-5),
        animated_set("River", [1], 3, fps=31, uv_rotate=127),
        animated_set("Half", [1, 2], 4, fps=64, uv_rotate=-128),
    ],
    ids=lambda source: source.name,
)
def test_settings_of_trng_are_kept(source: AnimatedSet) -> None:
    found = _round(Game.TR4, [source], [(1, 0, False)], TRNG)
    (made,) = found.project().settings.animated_sets
    assert made.type == source.type
    if source.type in ROTATING:
        assert (min(made.fps, 32), made.uv_rotate) == (min(source.fps, 32), source.uv_rotate)
    elif not source.type:
        assert made.fps == source.fps
    assert found.before.level.footer.tobytes().find(b"\x02\x80") > 0


def test_damaged_sequences_are_skipped() -> None:
    found = _round(Game.TR4, [animated_set("Water", [3, 7])], [(7, 0, False)], None)
    level = found.before.level.copy()
    level.animated_textures = np.array([2, 1, 0, 60000, 1, 0, 1], np.uint16)
    (made,) = sets_of(Decoded(level))
    assert len(made.frames) == 2


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in real_projects(".prj2")])
def test_sets_of_real_projects_play_the_same(path: Path, tmp_path: Path) -> None:
    project = read_project(path)
    number = show_frames(project)
    if number is None:
        pytest.skip("no frames")
    resources = StandIns(paths_of(project.settings, path), load_png)
    compiled = compile_project(project, resources, keep_missing=True)
    suffix = ".trc" if compiled.level.game is Game.TR5 else ".tr4"
    level = tmp_path / f"level{suffix}"
    level.write_bytes(compiled.level.to_bytes())
    found = round_trip(tmp_path, level)
    before = played(found.before, number)
    assert len(before) > 5
    check_played(before, played(found.after, number), lost=0.02)
    # The bytes of an unedited project stay.
    content = project.to_bytes()
    copy = read_project(content)
    update_project(copy, compiled, Decoded(compiled.level.copy()), "edited")
    assert copy.to_bytes() == content
