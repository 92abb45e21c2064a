"""Files of mods for older versions of TRX in the form of 1.11: game flows, strings and object catalogs.

Only what the engine calls otherwise changes; all other text stays.
"""

from __future__ import annotations

import re
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from ....base.bytes.files import read_file
from ....base.errors import FormatError, TextError
from ....base.messages import T
from ..beside import file_in
from .json5 import Member, Node, TextSplice, dumped, edited, parse, spliced
from .words import catalog_name, object_word

GAME_FLOW = "gameflow.json5"
ROOM_STEP, ROOM_KEY = "setup_bacon_lara", "anchor_room"  # the step whose parameter is a room
NEWEST = 11  # the last version of TRX 1 whose changes are here
# Keys of game flows and of their levels with their present names, and the version that has these.
FORMER = {
    "file": ("path", 0),
    "music": ("music_track", 0),
    "draw_distance_fade": ("fog_start", 0),
    "draw_distance_max": ("fog_end", 0),
    "savegame_fmt_bson": ("savegame_file_fmt", 2),
    "lara_skin_type": ("lara_outfit", 2),
}
_GONE = {"cold_water": 8, "main_script": 10, "script": 10}  # keys that the engine ignores since a version
_GOLDEN = frozenset({"tr1_golden_lara", "tr1_golden_bacon_lara", "tr23_golden_lara"})  # outfits until 1.10
_LISTS = frozenset({"levels", "cutscenes", "demos", "fmvs"})
_IDS = frozenset({"object_id", "object_ids"})
_CATALOG_ROW = re.compile(r"(\s*\d{1,5}\s*,\s*)(O_\w+)(.*)", re.DOTALL)
_NO_OBJECTS = frozenset({"explosive_item", "explosive_option"})


class LineChange(NamedTuple):
    """A change of a file."""

    line: int  #: in the old text, from 1.
    text: str  #: what changes.
    since: int  #: the version of TRX 1 that needs it; 0 for one before.


class UpdatedText(NamedTuple):
    """A file in the form of 1.11."""

    text: str
    changes: list[LineChange]  #: in the order of the old text.

    @property
    def version(self) -> int:
        """The newest version of TRX 1 for which the old text can be, as far as it shows."""
        return min((change.since - 1 for change in self.changes), default=NEWEST)


def updated(text: str, engine: int = 0) -> UpdatedText:
    """Return a game flow or its strings in the form of 1.11. Raises TextError if it is no JSON5.

    Args:
        engine: the number of the game for strings; a game flow has it.
    """
    root = parse(text)
    update = _Update(text, _engine(root) or engine)
    update.value(root, is_entry=True)
    result = spliced(text, update.splices)
    root = parse(result)
    return UpdatedText(
        edited(result, root, _without_gone(root.value)),
        sorted(update.changes, key=lambda change: change.line),
    )


class _Update:
    """The changes of a text."""

    def __init__(self, text: str, engine: int) -> None:
        self.text, self.engine = text, engine
        self.splices: list[TextSplice] = []
        self.changes: list[LineChange] = []

    def note(self, node: Node | Member, text: str, since: int = NEWEST) -> None:
        self.changes.append(LineChange(self.text.count("\n", 0, node.start) + 1, text, since))

    def object(self, node: Node, *, is_entry: bool) -> None:
        """Update an object.

        Args:
            is_entry: whether it is a game flow or the entry of a level.
        """
        path = node.get("path") or node.get("file")
        for member in node.members:
            name, child = member.name, member.node
            gone = _reason(name, child.value, path) if is_entry else None
            if gone is not None:
                self.note(member, *gone)
                continue
            if is_entry and name in FORMER and node.get(FORMER[name][0]) is None:
                self.rename(member, *FORMER[name])
            if name == "objects" and isinstance(child.value, dict):
                self.objects(child)
            elif name in _IDS:
                for item in child.items or (child,):
                    self.word(item)
            else:
                for item in child.items if name == "sequence" else ():
                    room = _room_of_step(item.value)
                    if room is not None:
                        self.note(item, room, 10)
                self.value(child, is_entry=is_entry and (name in _LISTS or name == "title"))

    def value(self, node: Node, *, is_entry: bool) -> None:
        if node.members:
            self.object(node, is_entry=is_entry)
        for item in node.items:
            self.value(item, is_entry=is_entry)

    def objects(self, node: Node) -> None:
        """Update the names of objects in strings."""
        for member in node.members:
            new = object_word(member.name, self.engine)
            if new != member.name and node.get(new) is None:
                self.rename(member, new)
            for part in member.node.members:
                if part.name in ("name", "names") and _is_texts(part.node.value):
                    if part.name == "names" and member.node.get("name") is None:
                        self.rename(part, "name")
                    joined = dumped("|".join(part.node.value))
                    self.note(part.node, T("the names are one text: {text}", text=joined))
                    self.splices.append(TextSplice(part.node.start, part.node.end, joined))

    def word(self, node: Node) -> None:
        """Update the name of an object."""
        if isinstance(node.value, str):
            new = object_word(node.value, self.engine)
            if new != node.value:
                self.note(node, T("{old} is {new} now", old=node.value, new=new))
                self.splices.append(TextSplice(node.start + 1, node.end - 1, new))

    def rename(self, member: Member, new: str, since: int = NEWEST) -> None:
        old, start = member.name, member.start + (self.text[member.start] in "\"'")
        if self.text.startswith(old, start):  # else it is written with escapes
            self.note(member, T("{old} is {new} now", old=old, new=new), since)
            self.splices.append(TextSplice(start, start + len(old), new))


def _reason(name: str, value: Any, path: Node | None) -> tuple[str, int] | None:
    """Return why a key of a game flow or of a level is removed, and since which version; None if it stays."""
    if name == "lara_outfit" and isinstance(value, str) and value in _GOLDEN:
        return T("the outfit {name} is removed: Lara turns to gold in each", name=value), NEWEST
    if name not in _GONE or (name == "script" and path is None):
        return None
    if name in ("main_script", "script"):
        is_level = name == "script" and path is not None
        stem = PureWindowsPath(str(path.value)).stem if path is not None and is_level else "_game"
        new = f"scripts/{stem}.lua"
        text = T(
            "{key} is removed: the engine reads {new} instead of {old}", key=name, new=new, old=str(value)
        )
        return text, _GONE[name]
    return T("{key} is removed: set the cold and the damaging rooms in the level", key=name), _GONE[name]


def _room_of_step(value: Any) -> str | None:
    """Return what replaces the step of Bacon Lara; None for other values."""
    if not isinstance(value, dict) or value.get("type") != ROOM_STEP:
        return None
    room = str(value.get(ROOM_KEY, -1))
    return T(
        "{step} is removed: give Bacon Lara the property {name} = {room}",
        step=ROOM_STEP,
        name=ROOM_KEY,
        room=room,
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _without_gone(value: Any, *, is_entry: bool = True) -> Any:
    """Return a value without what the engine does not read any more."""
    if isinstance(value, list):
        return [_without_gone(each, is_entry=is_entry) for each in value]
    if not isinstance(value, dict):
        return value
    path = Node(0, 0, value["path"]) if "path" in value else None
    result = {}
    for name, part in value.items():
        if is_entry and _reason(name, part, path) is not None:
            continue
        if name == "sequence" and isinstance(part, list):
            part = [each for each in part if _room_of_step(each) is None]
        has_names = name in _IDS or (name == "objects" and isinstance(part, dict))
        is_inner_entry = is_entry and (name in _LISTS or name == "title")
        result[name] = part if has_names else _without_gone(part, is_entry=is_inner_entry)
    return result


# --- Catalogs ----------------------------------------


def updated_catalog(text: str) -> UpdatedText:
    """Return an object catalog in the form of 1.11."""
    lines, changes = text.splitlines(keepends=True), []
    for number, line in enumerate(lines):
        row = _CATALOG_ROW.fullmatch(line)
        if row is None:
            continue
        new = catalog_name(row[2])
        if new in _NO_OBJECTS:
            lines[number], text = "", T("{name} is removed: there is no such object", name=row[2])
        else:
            lines[number], text = row[1] + new + row[3], T("{old} is {new} now", old=row[2], new=new)
        changes.append(LineChange(number + 1, text, NEWEST))
    return UpdatedText("".join(lines), changes)


# --- Files ----------------------------------------


def update_file(path: Path) -> UpdatedText:
    """Return a game flow, its strings, or an object catalog (.csv) in the form of 1.11.

    Bytes that are no UTF-8 are surrogates.

    Raises:
        FormatError: if it is damaged.
        OSError: if it cannot be read.
    """
    text = read_file(path).decode(errors="surrogateescape")
    if path.suffix.lower() == ".csv":
        return updated_catalog(text)
    flow = file_in(path.parent, GAME_FLOW)
    try:
        engine = 0 if flow is None else _engine(parse(read_file(flow).decode(errors="replace")))
    except TextError:
        engine = 0
    try:
        return updated(text, engine)
    except TextError as error:
        raise FormatError(path.name, "JSON5", str(error), line=error.line, problem=error.problem) from None


def files_of(folder: Path) -> list[Path]:
    """Return the files of a mod that :func:`update_file` takes, by name."""
    names = re.compile(r"gameflow\.json5|(base_)?strings.*\.json5|catalog_objects\.csv", re.IGNORECASE)
    return sorted(path for path in folder.iterdir() if names.fullmatch(path.name) and path.is_file())


def _engine(root: Node) -> int:
    known = root.get("engine")
    return known.value if known is not None and isinstance(known.value, int) else 0
