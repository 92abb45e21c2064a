"""The entry of a level in the game flow of TRX (`gameflow.json5`), with its title in `strings.json5`.

Both are JSON5 that builders edit by hand. Edits keep everything but the changed fields of the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....base.bytes.files import read_file, replace_file
from ....base.errors import FormatError, TextError
from ....base.games import Game
from ....base.messages import T
from ..beside import file_in, first_file
from ..level_names import is_same_file
from .json5 import Node, dumped, edited, is_same, parse
from .updating import FORMER, GAME_FLOW, NEWEST, ROOM_KEY, ROOM_STEP, updated

STRINGS = "strings.json5"
_FORMER = {key: former for former, (key, _) in FORMER.items()}  # which older engines read
_LISTS = ("levels", "cutscenes", "demos")
_NEW_STEPS = ("loop_game", "level_stats", "level_complete")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
# Distances of the engine where neither the level nor the game has one, in sectors.
_FOG = {"fog_start": 22.0, "fog_end": 30.0}

# The id of an item that is dropped: the number of its slot, or its name.
ItemId = int | str


class Step(NamedTuple):
    """A step of a level's sequence."""

    kind: str  #: its type, such as "loop_game"; "" for a step without one.
    #: its other members, as JSON5 without the brackets around them. Of a step without a type the whole value.
    parameters: str = ""
    room: int | None = None  #: the number of the room that it names, or None.


class Drop(NamedTuple):
    """The items that an enemy drops."""

    number: int  #: of the entity.
    items: tuple[ItemId, ...]  #: what it drops.
    #: the number of the entity when the file was read; None if it dropped nothing then.
    before: int | None = None


@dataclass(frozen=True)
class Flow:
    """The fields of a level's entry that the scene shows."""

    title: str = ""  #: the name of the level; "" without one.
    track: int | None = None  #: the soundtrack; None without one, or if it is no number.
    water_color: tuple[float, ...] | None = None  #: light under water, 0 to 1; None for that of the game.
    #: distances in sectors where fog starts and is full; None for those of the game.
    fog: tuple[float, ...] | None = None
    fog_color: tuple[float, ...] | None = None  #: 0 to 1; None for that of the game.
    fog_bulbs: bool | None = None  #: whether fog bulbs are shown; None for what the game does.
    steps: tuple[Step, ...] = tuple(map(Step, _NEW_STEPS))  #: the sequence of the level.
    drops: tuple[Drop, ...] = ()  #: what its enemies drop, in the order of the file.
    #: the newest version of TRX 1 that the file can be for. Not written.
    version: int = field(default=NEWEST, compare=False)


class _Location(NamedTuple):
    """The location of a level's entry: the list, and the number there, from 0."""

    list_name: str
    number: int


class TrxGameflow:
    """A game flow and its strings."""

    def __init__(self, text: str, strings: str | None = None) -> None:
        """Parse both. Raises TextError if the game flow is no JSON5, or no object."""
        self.text = text  #: the game flow.
        self.strings = strings  #: its strings; None without them.
        self._root = parse(text)
        if not isinstance(self._root.value, dict):
            raise TextError(1, T("this is no game flow"))
        self._names = None if strings is None else parse(strings)

    def find(self, level: str) -> Flow | None:
        """Return the entry of the level of a file, in any folder and with any extension; None without one."""
        location = self._find(level)
        return None if location is None else self._flow(location)

    def put(self, level: str, flow: Flow, dropped: Iterable[int] = ()) -> bool:
        """Change the entry of a level, or add it.

        Args:
            dropped: numbers of entities that dropped something when the file was read. Those that no drop had
                before are removed.

        Returns:
            Whether the title could be written.

        Raises:
            TextError: if the parameters of a step are no JSON5.
        """
        location = self._find(level)
        if location is None:
            location = self._add(level)
        current, entry = self._flow(location), self._entry(location)
        value: dict[str, Any] = dict(entry.value)
        if flow.track != current.track:
            _set(value, self._key(entry, "music_track"), flow.track)
        for key in ("water_color", "fog_color"):
            color = getattr(flow, key)
            if _rounded(color) != _rounded(getattr(current, key)):
                _set(value, key, _color(color, value.get(key)))
        if flow.fog_bulbs != current.fog_bulbs:
            _set(value, "fog_bulbs", flow.fog_bulbs)
        before, after = _rounded(current.fog), _rounded(flow.fog)
        for number, key in enumerate(_FOG):
            if after is None and before is not None:
                value.pop(self._key(entry, key), None)
            elif after is not None and (before is None or before[number] != after[number]):
                value[self._key(entry, key)] = after[number]
        if flow.steps != current.steps:
            value["sequence"] = [_step_value(step) for step in flow.steps]
        old_drops = value.get("item_drops", [])
        drops = _with_drops(old_drops, flow.drops, frozenset(dropped))
        if not is_same(drops, old_drops if isinstance(old_drops, list) else []):
            _set(value, "item_drops", drops or None)
        has_title = flow.title == current.title or self._put_title(location, value, flow.title)
        self._change(entry, value)
        return has_title

    def _change(self, node: Node, value: Any) -> None:
        self.text = edited(self.text, node, value)
        self._root = parse(self.text)

    # --- Entries ---------------------------------------

    def _find(self, level: str) -> _Location | None:
        for list_name in _LISTS:
            for number, node in enumerate(self._list(list_name)):
                path = self._path(node)
                if path is not None and is_same_file(path, level):
                    return _Location(list_name, number)
        return None

    def _list(self, name: str) -> tuple[Node, ...]:
        node = self._root.get(name)
        return () if node is None else node.items

    def _entry(self, location: _Location) -> Node:
        return self._list(location.list_name)[location.number]

    @staticmethod
    def _path(node: Node) -> str | None:
        path = node.get("path") or node.get("file")
        return path.value if path is not None and isinstance(path.value, str) else None

    def _key(self, entry: Node, name: str) -> str:
        """Return the name of a key in this file, which may be written for older engines."""
        former = _FORMER[name]
        if entry.get(name) is not None:
            return name
        nodes = [entry, self._root, *self._list("levels")]
        is_old = any(node.get(former) is not None for node in nodes)
        return former if is_old and not any(node.get(name) is not None for node in nodes) else name

    def _add(self, level: str) -> _Location:
        """Add an entry for a level after the others."""
        paths = [path for path in map(self._path, self._list("levels")) if path is not None]
        folder = max(paths[-1].rfind("/"), paths[-1].rfind("\\")) + 1 if paths else 0
        path = (paths[-1][:folder] if paths else "") + level
        steps = [{"type": kind} for kind in _NEW_STEPS]
        entry = {self._key(self._root, "path"): path, "sequence": steps}
        levels = self._root.get("levels")
        if levels is None or not isinstance(levels.value, list):
            self._change(self._root, {**self._root.value, "levels": [entry]})
        else:
            self._change(levels, [*levels.value, entry])
        return _Location("levels", len(self._list("levels")) - 1)

    # --- Titles ----------------------------------------

    def _title_node(self, location: _Location) -> Node | None:
        """Return the node of a level's title, in its entry or in the strings."""
        title = self._entry(location).get("title")
        if title is not None or self._names is None:
            return title
        titles = self._names.get(location.list_name)
        if titles is None or location.number >= len(titles.items):
            return None
        return titles.items[location.number].get("title")

    def _put_title(self, location: _Location, entry: dict[str, Any], title: str) -> bool:
        entries = (node.value for node in self._list("levels"))
        has_titles = any(isinstance(value, dict) and "title" in value for value in entries)
        if "title" in entry or (has_titles and self._names is None):
            entry["title"] = title
            return True
        if self._names is None or not isinstance(self._names.value, dict):
            return False
        strings: dict[str, Any] = dict(self._names.value)
        titles = strings.get(location.list_name)
        titles = list(titles) if isinstance(titles, list) else []
        titles += [{}] * (location.number + 1 - len(titles))
        if not isinstance(titles[location.number], dict):
            return False
        titles[location.number] = {**titles[location.number], "title": title}
        strings[location.list_name] = titles
        self.strings = edited(self.strings or "", self._names, strings)
        self._names = parse(self.strings)
        return True

    # --- Values ----------------------------------------

    def _flow(self, location: _Location) -> Flow:
        entry = self._entry(location)
        title = self._title_node(location)
        track = _valued(entry, "music_track", "music")
        steps, bulbs = _valued(entry, "sequence"), _valued(entry, "fog_bulbs")
        return Flow(
            title=title.value if title is not None and isinstance(title.value, str) else "",
            track=track if _is_whole(track) and track >= 0 else None,
            water_color=_read_color(_valued(entry, "water_color")),
            fog=self._fog(entry),
            fog_color=_read_color(_valued(entry, "fog_color")),
            fog_bulbs=bulbs if isinstance(bulbs, bool) else None,
            steps=tuple(map(_step, steps)) if isinstance(steps, list) else (),
            drops=tuple(_drops(_valued(entry, "item_drops"))),
            version=updated(self.text).version,
        )

    def _fog(self, entry: Node) -> tuple[float, ...] | None:
        values = [_valued(entry, key, _FORMER[key]) for key in _FOG]
        if not any(_is_number(each) for each in values):
            return None
        fog: list[float] = []
        for key, own_value in zip(_FOG, values, strict=True):
            of_game = _valued(self._root, key, _FORMER[key])
            fog.append(next(float(each) for each in (own_value, of_game, _FOG[key]) if _is_number(each)))
        return tuple(fog)


def _set(value: dict[str, Any], key: str, new: Any) -> None:
    """Set a member, or remove it for None."""
    if new is None:
        value.pop(key, None)
    else:
        value[key] = new


def _valued(node: Node, *keys: str) -> Any:
    result = next((child for child in map(node.get, keys) if child is not None), None)
    return None if result is None else result.value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read_color(value: Any) -> tuple[float, ...] | None:
    if isinstance(value, str) and _COLOR.fullmatch(value):
        return tuple(part / 255 for part in bytes.fromhex(value[1:]))
    if isinstance(value, list) and len(value) == 3 and all(_is_number(each) for each in value):
        return tuple(float(each) for each in value)
    return None


def _color(color: tuple[float, ...] | None, before: Any) -> Any:
    """Return a color in the form that the file had before."""
    if color is None:
        return None
    if isinstance(before, str):
        return "#" + bytes(min(max(round(part * 255), 0), 255) for part in color).hex().upper()
    return list(_rounded(color) or ())


def _rounded(values: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """Return the shortest numbers that are equal in 32 bits, which Blender stores."""
    return None if values is None else tuple(float(str(np.float32(value))) for value in values)


# --- Steps ----------------------------------------


def _step(value: Any) -> Step:
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not kind:
        return Step("", dumped(value))
    rest = {key: each for key, each in value.items() if key != "type"}
    has_room = kind == ROOM_STEP and _is_whole(rest.get(ROOM_KEY))
    room = rest.pop(ROOM_KEY) if has_room else None
    return Step(kind, ", ".join(_member(key, each) for key, each in rest.items()), room)


def _member(key: str, value: Any) -> str:
    """Return a member on one line."""
    return " ".join(dumped({key: value})[1:-1].split("\n")).strip()


def _step_value(step: Step) -> Any:
    if not step.kind:
        return parse(step.parameters).value
    value = {"type": step.kind, **parse("{" + step.parameters + "\n}").value}
    if step.kind == ROOM_STEP and step.room is not None:
        value[ROOM_KEY] = step.room
    return value


# --- Drops ----------------------------------------


def _drops(value: Any) -> Iterable[Drop]:
    """Yield the drops of a list, for each entity the first."""
    seen: set[int] = set()
    for entry in value if isinstance(value, list) else ():
        number = _number(entry)
        items = entry.get("object_ids") if number is not None else None
        if number is None or number in seen or not isinstance(items, list):
            continue
        if all(isinstance(item, str) or _is_whole(item) for item in items):
            seen.add(number)
            yield Drop(number, tuple(items), number)


def _number(value: Any) -> int | None:
    """Return the number of the entity that an element of the list is about, or None."""
    number = value.get("enemy_num") if isinstance(value, dict) else None
    return number if _is_whole(number) else None


def _with_drops(value: Any, drops: Sequence[Drop], dropped: frozenset[int]) -> list[Any]:
    """Return the list of drops with other numbers and items, and new ones at its end."""
    by_number = {drop.before: drop for drop in drops if drop.before is not None}
    used: set[int] = set()
    result: list[Any] = []
    for entry in value if isinstance(value, list) else ():
        number = _number(entry)
        drop = None if number is None else by_number.get(number)
        if drop is not None and number is not None:
            is_first = number not in used
            used.add(number)
            if drop.items:
                items = list(drop.items) if is_first else entry.get("object_ids")
                result.append({**entry, "enemy_num": drop.number, "object_ids": items})
        elif number not in dropped:
            result.append(entry)
    result += [
        {"enemy_num": drop.number, "object_ids": list(drop.items)}
        for drop in drops
        if drop.items and (drop.before is None or drop.before not in used)
    ]
    return result


# --- Files ----------------------------------------


def find_trx_gameflow(level: Path, game: Game) -> Path | None:
    """Return the game flow of TRX for a level, or None, see :func:`find_trx_file`."""
    return find_trx_file(level, game, GAME_FLOW, f"TR{int(game)}X_gameflow.json5")


def find_trx_file(level: Path, game: Game, *names: str) -> Path | None:
    """Return a file of TRX for a level: in its folder, one folder up, or in the folder `cfg` there."""
    if not game.traits.is_in_trx:
        return None
    folder = level.absolute().parent
    folders = (folder, folder.parent, folder.parent / "cfg", folder.parent / "cfg" / f"tr{int(game)}")
    return first_file(folders, names)


def read_trx_gameflow(path: Path) -> TrxGameflow:
    """Read a game flow, and the strings next to it.

    Raises:
        FormatError: if a file is damaged.
        OSError: if the game flow cannot be read.
    """
    strings = file_in(path.parent, STRINGS)
    text = _text(path)
    names = None if strings is None else _text(strings)
    try:
        return TrxGameflow(text, names)
    except TextError as error:
        raise FormatError("gameflow", "JSON5", str(error), line=error.line, problem=error.problem) from None


def write_trx_gameflow(path: Path, flow: TrxGameflow) -> list[Path]:
    """Write the files of a game flow that differ, and return them.

    Raises:
        FormatError: if one is no text.
        OSError: if a file cannot be read or written.
    """
    strings = file_in(path.parent, STRINGS)
    written: list[Path] = []
    for file, text in ((path, flow.text), (strings, flow.strings)):
        if file is not None and text is not None and (not file.exists() or _text(file) != text):
            replace_file(file, text.encode())
            written.append(file)
    return written


def _text(path: Path) -> str:
    try:
        return read_file(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(path.name, "UTF-8", error.reason, offset=error.start) from None
