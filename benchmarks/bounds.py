"""Bounds of the benchmark, and tables of measurements with failed bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from io_tomb_raider.formats import Game

_READ = 0.008
_ZLIB_FACTOR = 1.2
_FRAMES = 0.060
_TO_BYTES = 0.060
_FLOOR_FACTOR = 2.0  # for small levels, where the constant costs of an import dominate
_RETAIL_FACTOR = 1.5  # for others
_RETAIL_ROOMS = 40
# For work next to many levels, relative to each of them alone, or to Blender's own floor there. Blender keeps
# data-blocks sorted by name, and walks from the end of the list to the place of each new one: next to five
# levels an import takes up to four times as long as in an empty file, and the floor five times.
_GROWTH = 1.2
# The .blend file relative to the level's. More than half of it are actions, whose keys take 72 bytes each:
# without them it has 6.2 times the level's size, and 1.36 times compressed. Nothing else could halve it, but
# animations that are no actions are not in Blender's editors and lists.
_BLEND_FACTOR, _COMPRESSED_FACTOR = 14.5, 2.2
_EXPORT_FACTOR = 1.0  # of the floor, not of imports, which get faster
# 2.0 would be better, but real levels take 2.0 to 2.5: 1.0 to read the scene, as every export, 0.5 to encode
# key frames, 0.2 for texture pages, 0.1 each for meshes, rooms and sectors. Generated ones have less for
# Blender to make, but many sectors: up to 3.0.
_REBUILD_FACTOR = 3.2
_EDITED_FACTOR = 1.5  # of an export of the untouched level
# A change of the frame, in TR4 and TR5 half of it for the joints of Lara's skin. In others only Blender takes
# time, 10 us for each mesh that moves.
_FRAME = 0.008
_CHECK, _MOST_ROOMS = 0.500, 150  # rooms of the games' own levels
# Of Blender's own. Light is calculated again on objects whose light was ever changed: 3 ms for one of them in
# a level of 30 rooms, half of it to locate rooms and lights. Most measurements are below 1.13.
_UNDO_FACTOR = 1.2
# 3.0 would be better, but Blender's module takes 0.6 seconds, the extension's 0.4, the import 0.4, the
# conversion 0.8, of which sounds are 0.1 and pages 0.15, the export 0.9, of which the actions of 576
# animations are 0.4, and the compression of the file 0.15.
_CONVERSION = 3.5
_RIG_FACTOR, _RIG_ANIMATIONS = 1.5, 100  # of an export without the control rig; for levels with so many
# If all animations follow it, 1.8 to 2.6. 1.5 would be better, but half of the additional time is to read 120
# more curves of each animation, 3 us each, which Blender has only one by one: 0.5 for the data path, 0.4 for
# the number of keys, 0.5 for modifiers, 1.3 for the keys. A third are poses, 30 us each, all in one array.
_ALL_RIG_FACTOR = 2.8
_MEMORY = 300e6
_GLTF_FACTOR = 5.0
_COMPILED = 0.050
_CUTSCENE_DECODED, _CUTSCENE_IMPORTED = 0.150, 1.0
# 60 ms would be better, but that is a load of 280 modules: 18 ms to unmarshal 2 MB of code, 19 ms for 570
# classes, 30 ms to find, read and link the modules. Registration takes 17 ms, mostly for the type hints.
_START_UP = 0.088
_ASSET, _ASSET_STEP = 5.0 / 199, 0.250  # per asset, and of a step, during which the window waits
_MOVE = 0.050  # of the mouse, in a stroke of the texture brush
_STROKE_FACTORS = {"object mode": 2.0, "edit mode": 2.0}
_NEW_LEVEL = {"collision": 3.0, "connect": 1.0, "bake": 5.0, "export": 3.0}

# Of projects, relative to the import of the compiled level, and to its export without edits: of a generated
# project, and of a real one, each somewhat above what is measured. Two thirds of the time to open a project
# are its compilation, which has no step that stands out: reading 18 %, faces and light 31 %, textures and
# vertices 21 %, pathfinding 19 %, all in operations on arrays of all rooms. Compiling also compresses the
# level (16 %), where an export without edits keeps the compressed bytes.
_GENERATED = {"open": 3.1, "save": 1.5, "compile": 5.0}
_REAL = {"open": 2.3, "save": 1.5, "compile": 3.0}
_PROJECT_MEMORY = 0.8e9

_WORK = ("export", "undo", "save", "open")

Table = tuple[str, list[list[str]]]


@dataclass
class Measured:
    """All measurements of one level. The dictionary of a skipped part is empty."""

    path: Path
    game: Game
    reading: dict[str, float]
    scene: dict[str, Any]
    memory: float
    gltf: dict[str, Any]
    rig: dict[str, Any]
    rooms: int


class Cell(str):
    """A cell of a table that shows whether its bound holds."""

    holds: bool

    def __new__(cls, text: str, holds: bool) -> Cell:
        cell = super().__new__(cls, text + ("" if holds else " !"))
        cell.holds = holds
        return cell


def tables(levels: Sequence[Measured]) -> list[Table]:
    """Return titled tables, each a list of rows, the first being the head."""
    found = [
        ("Formats, without Blender (milliseconds)", _reading(levels)),
        ("Import and export (milliseconds)", _scenes(levels)),
        ("Work on a level (milliseconds)", _work(levels)),
    ]
    if any(level.rig for level in levels):
        found.append(("Export with a control rig of Lara (milliseconds of the processor)", _rigs(levels)))
    if any(level.gltf for level in levels):
        found.append(("Beside Blender's bundled glTF importer (seconds)", _gltf(levels)))
    return found


def cutscene_table(times: dict[str, float]) -> Table:
    """Return the table of a long cutscene."""
    bounds = {"decode": _CUTSCENE_DECODED, "import": _CUTSCENE_IMPORTED}
    rows = [
        ["", *times],
        ["at most", *(_ms(bounds[name]) if name in bounds else "" for name in times)],
        ["", *(_ms(seconds, bounds.get(name)) for name, seconds in times.items())],
    ]
    return "A cutscene of 1,500 frames and 4 actors (milliseconds)", rows


def conversion_table(name: str, times: dict[str, float]) -> Table:
    """Return the table of a conversion on the command line."""
    rows = [["level", "process", "at most"]]
    rows.append([name, _ms(times["conversion"], _CONVERSION), _ms(_CONVERSION)])
    return "Conversion on the command line (milliseconds of the processor)", rows


def script_table(times: dict[str, float]) -> Table:
    """Return the table of the compilation of scripts."""
    rows = [
        ["", *times],
        ["at most", *(_ms(_COMPILED) for _ in times)],
        ["", *(_ms(seconds, _COMPILED) for seconds in times.values())],
    ]
    return "Scripts compiled (milliseconds)", rows


def new_level_table(times: dict[str, float]) -> Table:
    """Return the table of a new level."""
    whole = times["import"]
    rows = [
        ["", *times],
        ["at most", *(_ms(_NEW_LEVEL[name]) if name in _NEW_LEVEL else "" for name in times)],
        ["", *(_ms(seconds, _NEW_LEVEL.get(name)) for name, seconds in times.items())],
        ["of the import", *(_factor(seconds / whole) for seconds in times.values())],
    ]
    return "A new level of 60 rooms of 200 sectors (milliseconds)", rows


def project_table(measured: dict[str, dict[str, dict[str, float]]], peak: float, empty: float) -> Table:
    """Return the table of large projects.

    Args:
        measured: of :func:`.projects.measure_projects`, a generated project first.
        peak, empty: bytes of a process that opened and saved that one, and of one that did nothing.
    """
    memory = peak - empty
    rows: list[list[str]] = []
    for name, parts in measured.items():
        times, beside, bounds = parts["times"], parts["beside"], _REAL if rows else _GENERATED
        figures = [_factor(ratio, bounds[work]) for work, ratio in beside.items()]
        limits = [_factor(bounds[work]) for work in beside]
        if rows:
            figures, limits = [*figures, ""], [*limits, ""]
        else:
            rows.append(["", *times, *(f"{work}, ratio" for work in beside), "memory (MB)"])
            figures.append(Cell(f"{memory / 1e6:.0f}", memory <= _PROJECT_MEMORY))
            limits.append(f"{_PROJECT_MEMORY / 1e6:.0f}")
        rows.append(["at most", *("" for _ in times), *limits])
        rows.append([name, *map(_ms, times.values()), *figures])
    return "Large projects (milliseconds)", rows


def stroke_table(times: dict[str, float]) -> Table:
    """Return the table of a stroke of the texture brush."""
    rows = [["", "floor", *_STROKE_FACTORS, "longest", *(f"{mode}/floor" for mode in _STROKE_FACTORS)]]
    bounds = [_factor(bound) for bound in _STROKE_FACTORS.values()]
    rows.append(["at most", "", *("" for _ in _STROKE_FACTORS), _ms(_MOVE), *bounds])
    row = [
        "",
        _ms(times["floor"]),
        *(_ms(times[mode]) for mode in _STROKE_FACTORS),
        _ms(times["longest"], _MOVE),
    ]
    rows.append(row + [_factor(times[f"{mode}/floor"], bound) for mode, bound in _STROKE_FACTORS.items()])
    return "A stroke over 500 of 5,041 faces (milliseconds per move of the mouse)", rows


def asset_table(times: dict[str, float]) -> Table:
    """Return the table of marks and previews of a level's assets."""
    bounds = {"longest": _ASSET_STEP, "each": _ASSET}
    rows = [["", *times], ["at most", *(_ms(bounds[name]) if name in bounds else "" for name in times)]]
    cells = [_ms(value, bounds.get(name)) for name, value in times.items()]
    cells[0], cells[-1] = str(times["assets"]), _factor(times["mark and draw/floor"])
    return "Mark as Assets (milliseconds of the processor)", [*rows, ["", *cells]]


def start_up_table(times: dict[str, float]) -> Table:
    """Return the table of the extension's startup time in Blender."""
    bounds = {"start-up": _START_UP}
    rows = [
        ["", *times],
        ["at most", *(_ms(bounds[name]) if name in bounds else "" for name in times)],
        ["", *(_ms(seconds, bounds.get(name)) for name, seconds in times.items())],
    ]
    return "Start-up (milliseconds of the processor)", rows


def many_tables(same: dict[str, Any], different: dict[str, Any]) -> list[Table]:
    """Return the tables of files with many levels: copies of one, or different ones."""
    titled = {"of the same level": same, "of different levels": different}
    title = "The n-th import into a file (milliseconds of the processor)"
    found = [(f"{title}, {kind}", _imports(times["imports"])) for kind, times in titled.items()]
    for kind, times in titled.items():
        found.append((f"A file {kind} beside one with the first alone", _beside_one(times)))
    parts = {name: size for name, size in same["one"]["parts"].items() if size}
    rows = [["", *parts], ["", *(f"{size / 1e6:.2f}" for size in parts.values())]]
    found.append(("Where the bytes of a .blend file of one level go (MB, not compressed)", rows))
    return found


def _imports(imports: dict[str, dict[str, float]]) -> list[list[str]]:
    rows = [["", "import", "of the first", "floor", "import/floor", "the lesser", "grown/floor grown"]]
    rows.append(["at most, either", "", "", "", "", _factor(_GROWTH), _factor(_GROWTH)])
    first, first_floor = imports["1"]["import"], imports["1"]["floor"]
    for number, times in imports.items():
        whole, floor = times["import"], times["floor"]
        row = [f"{number}.", _ms(whole), _factor(whole / first), _ms(floor), _factor(whole / floor)]
        grown = floor - first_floor  # the growth of Blender's own time since the empty file
        growth = (whole - first) / grown if grown > 0 else None
        is_ours = growth is None or growth > _GROWTH
        row.append(_factor(min(whole / first, whole / floor), _GROWTH if is_ours else None))
        rows.append([*row, "" if growth is None else _factor(growth)])
    return rows


def _beside_one(times: dict[str, Any]) -> list[list[str]]:
    one, every, count = times["one"], times["all"], times["levels"]
    # Work on one level does not depend on others; work on the file does.
    shares = {name: 1.0 if name == "export" else every["objects"] / one["objects"] for name in _WORK}
    rows = [["", *_WORK, "size (MB)", "of the level", "compressed"]]
    factors = [_factor(_BLEND_FACTOR), _factor(_COMPRESSED_FACTOR)]
    rows.append(["at most", *(_factor(_GROWTH * shares[name]) for name in _WORK), "", *factors])
    size, packed = (one[name] / times["bytes"] for name in ("size", "packed"))
    figures = [_factor(size, _BLEND_FACTOR), _factor(packed, _COMPRESSED_FACTOR)]
    rows.append(["one level", *(_ms(one[name]) for name in _WORK), f"{one['size'] / 1e6:.1f}", *figures])
    sizes = [f"{every['size'] / 1e6:.1f}", "", ""]
    rows.append([f"{count} levels", *(_ms(every[name]) for name in _WORK), *sizes])
    alone = every["blender"]
    rows.append(["without the extension", *(_ms(alone[name]) if name in alone else "" for name in _WORK)])
    over = {name: every[name] / alone[name] for name in alone}
    ratios = {name: every[name] / one[name] for name in _WORK}
    cells = []
    for name in _WORK:
        # If Blender itself is slower than for each level alone, only the ratio to it counts.
        is_ours = over.get(name, _GROWTH + 1) > _GROWTH
        cells.append(_factor(ratios[name], _GROWTH * shares[name] if is_ours else None))
    rows.append(["ratio", *cells])
    rows.append(["of Blender's own", *(_factor(over[name]) if name in over else "" for name in _WORK)])
    width = len(rows[0])
    return [row + [""] * (width - len(row)) for row in rows]


def failures(found: Sequence[Table]) -> int:
    """Return the number of failed bounds in tables."""
    rows = [row for _, table in found for row in table]
    return sum(isinstance(cell, Cell) and not cell.holds for row in rows for cell in row)


def _reading(levels: Sequence[Measured]) -> list[list[str]]:
    rows = [["level", "read", "at most", "zlib alone", "frames", "at most", "rebuilt to_bytes", "at most"]]
    for level in levels:
        times = level.reading
        bound = _READ + (_ZLIB_FACTOR * times.get("zlib", 0.0) if level.game >= Game.TR4 else 0.0)
        row = [level.path.name, _ms(times["read"], bound), _ms(bound)]
        row += [_ms(times["zlib"]) if "zlib" in times else "", _ms(times["frames"], _FRAMES), _ms(_FRAMES)]
        rows.append([*row, _ms(level.scene["times"]["to_bytes"], _TO_BYTES), _ms(_TO_BYTES)])
    return rows


def _scenes(levels: Sequence[Measured]) -> list[list[str]]:
    rows = [
        ["level", "import", "floor", "import/floor", "export", "export/floor", "rebuild", "rebuild/floor"]
    ]
    rows[0] += ["first import", "first export", "memory (MB)"]
    floors = f"{_FLOOR_FACTOR} / {_RETAIL_FACTOR}"
    factors = _factor(_EXPORT_FACTOR), "", _factor(_REBUILD_FACTOR)
    rows.append(["at most", "", "", floors, "", *factors, "", "", "300"])
    for level in levels:
        times, beside = level.scene["times"], level.scene["beside"]
        bound = _RETAIL_FACTOR if level.rooms >= _RETAIL_ROOMS else _FLOOR_FACTOR
        row = [level.path.name, _ms(times["import"]), _ms(times["floor"]), _factor(beside["import"], bound)]
        row += [_ms(times["export"]), _factor(beside["export"], _EXPORT_FACTOR)]
        row += [_ms(times["rebuild"]), _factor(beside["rebuild"], _REBUILD_FACTOR), _ms(level.scene["cold"])]
        row.append(_ms(times["first"]))
        rows.append([*row, Cell(f"{level.memory / 1e6:.0f}", level.memory <= _MEMORY)])
    return rows


def _work(levels: Sequence[Measured]) -> list[list[str]]:
    rows = [["level", "export", "after ten edits", "ratio", "check", "frame", "undo", "Blender's own"]]
    rows[0] += ["ratio"]
    rows.append(
        ["at most", "", "", _factor(_EDITED_FACTOR), _ms(_CHECK), _ms(_FRAME), "", "", _factor(_UNDO_FACTOR)]
    )
    for level in levels:
        times = level.scene["times"]
        edited, undo = times["edited"] / times["export"], times["undo"] / times["undo alone"]
        row = [level.path.name, _ms(times["export"]), _ms(times["edited"]), _factor(edited, _EDITED_FACTOR)]
        check_bound = _CHECK if level.rooms <= _MOST_ROOMS else None
        frame_bound = _FRAME if level.game >= Game.TR4 else None
        row += [_ms(times["check"], check_bound), _ms(times["frame"], frame_bound)]
        rows.append([*row, _ms(times["undo"]), _ms(times["undo alone"]), _factor(undo, _UNDO_FACTOR)])
    return rows


def _rigs(levels: Sequence[Measured]) -> list[list[str]]:
    names = {"rig": "unused", "matched": "one animation", "all": "all animations"}
    bounds = {"matched": _RIG_FACTOR, "all": _ALL_RIG_FACTOR}
    rows = [["level", "without", *names.values(), *(f"{each}/without" for each in names.values())]]
    limits = (_factor(bounds[name]) if name in bounds else "" for name in names)
    rows.append(["at most", "", *("" for _ in names), *limits])
    for level in levels:
        if level.rig:
            times, beside = level.rig["times"], level.rig["beside"]
            row = [level.path.name, *(_ms(times[name]) for name in ("plain", *names))]
            # The constant costs of an evaluation are more than the few animations of a made level take.
            limited = bounds if level.rig["animations"] >= _RIG_ANIMATIONS else {}
            rows.append([*row, *(_factor(beside[name], limited.get(name)) for name in names)])
    return rows


def _gltf(levels: Sequence[Measured]) -> list[list[str]]:
    rows = [["level", "import", "glTF import", "glTF/import", "glTF export", "actions", "actions of glTF"]]
    rows.append(["at least", "", "", _factor(_GLTF_FACTOR), "", "", ""])
    for level in levels:
        if level.gltf:
            ours, theirs = level.gltf["times"]["import"], level.gltf["times"]["gltf"]
            ratio = theirs / ours
            row = [
                level.path.name,
                f"{ours:.3f}",
                f"{theirs:.3f}",
                Cell(_factor(ratio), ratio >= _GLTF_FACTOR),
            ]
            counts = (level.gltf["counts"], level.gltf["gltf_counts"])
            rows.append([*row, f"{level.gltf['export']:.1f}", *(str(each["actions"]) for each in counts)])
    return rows


def _ms(seconds: float, bound: float | None = None) -> str:
    text = f"{seconds * 1000:.1f}"
    return text if bound is None else Cell(text, seconds <= bound)


def _factor(value: float, bound: float | None = None) -> str:
    text = f"{value:.2f}"
    return text if bound is None else Cell(text, value <= bound)
