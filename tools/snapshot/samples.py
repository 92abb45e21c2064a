"""Generated files of all kinds, as inputs of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from io_tomb_raider.formats import Game
from tests.animation_samples import anim_file, trw_file
from tests.formats.levels.injections.samples import sector, t1mj, trxj
from tests.prj_samples import sample_prj
from tests.project_files import write_castle
from tests.sample_levels import SAMPLES, named_sample
from tests.sample_projects import old_project, sample_project
from tests.wad2_samples import sample_wad2

SUFFIXES = {game: game.traits.suffix for game in Game}
_OTHERS: dict[str, Callable[[], bytes]] = {
    "project.prj2": lambda: sample_project().to_bytes(),
    "early.prj2": old_project,
    "old.prj": lambda: sample_prj().to_bytes(),
    "old_ng.prj": lambda: sample_prj(ng=True).to_bytes(),
    "objects.wad2": sample_wad2,
    "walk.anim": anim_file,
    "lara.anim": lambda: anim_file(bones=15),
    "walk.trw": trw_file,
    "edit.bin": lambda: trxj(9, [(17, 1, sector(1, 2, 3))], level=0),
    "old_edit.bin": lambda: t1mj(9, floor_edits=[sector(1, 2, 3)]),
}


def write_samples(folder: Path) -> Iterator[str]:
    """Write all samples into a folder; yield their names."""
    for name, (game, _, _) in SAMPLES.items():
        path = folder / f"sample_{name}{SUFFIXES[game]}"
        path.write_bytes(named_sample(name))
        yield path.name
    for name, content in _OTHERS.items():
        (folder / name).write_bytes(content())
        yield name
    yield write_castle(folder).relative_to(folder).as_posix()
