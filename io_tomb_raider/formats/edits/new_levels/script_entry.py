"""Script entries of new levels, as a section for the text of the game's script.

Documentation: chapter 11 for TR2 and TR3. TR1 has no script: its levels are built into the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from ...levels.game_files.level_names import Sky
from ...levels.game_files.strings.text import show_pair

_HEAD = "; Put this behind the last level of the script's text. What stands behind a semicolon is not read."
_STRINGS = "; These have to be among the strings of each language, too: "
_ITEM = "$0000, $0300, $0000, $0000, $0000, $0002"  # position of an item in the inventory, without rotation


@dataclass(frozen=True)
class ScriptEntry:
    """The script data of a level."""

    title: str
    file: str  #: the name of its file, without a folder.
    track: int = 0  #: the number of the audio track at its start.
    #: its items: kind (``Key``, ``Puzzle``, ``Pickup``), number from 1, and name.
    items: tuple[tuple[str, int, str], ...] = ()
    secrets: int = 0  #: the number of secrets.
    has_sky: bool = False  #: whether a room shows the sky.
    sky: Sky | None = None  #: the sky of TR4 and TR5.
    scroll_speed: int | None = None  #: the speed of scrolling textures of TR4 and TR5, or None without any.
    #: names and operands of further commands of TR4 and TR5, such as ``LensFlare``.
    commands: tuple[tuple[str, tuple[int, ...]], ...] = ()


def entry_to_text(game: Game, entry: ScriptEntry) -> str:
    """Return the section of a level in the text of a script; see :mod:`...levels.game_files.files` for the
    format.

    Raises:
        ExportError: for TR1, which has no script.
    """
    if not game.traits.has_script:
        text = T("TR1 has no script: the level replaces another level and uses its name")
        raise ExportError(entry.file, text)
    lines = _of_gameflow(entry) if game.traits.has_gameflow else _of_script(entry)
    return "\n".join([_HEAD, f"; Secrets: {entry.secrets}", "[Level]", *lines, ""])


def _of_gameflow(entry: ScriptEntry) -> list[str]:
    path = f"data\\{entry.file}"
    return [
        show_pair("Name", entry.title),
        show_pair("Path", path),
        *(show_pair(f"{kind}{number}", name) for kind, number, name in entry.items),
        show_pair("Track", str(entry.track)),
        show_pair("Secrets", str(entry.secrets)),
        *([] if not entry.has_sky else ["; The sky is that of the level's horizon model."]),
        show_pair("Level", path),
        "Complete",
        "End",
    ]


def _of_script(entry: ScriptEntry) -> list[str]:
    names = [entry.title, *(name for _, _, name in entry.items)]
    return [
        f"{_STRINGS}{', '.join(names)}",
        *(show_pair(kind, f"{number}, {name}, {_ITEM}") for kind, number, name in entry.items),
        # The game starts the level at its line Level, so commands stand before it.
        *(_of_sky(entry.sky or Sky(True, (None, None))) if entry.has_sky else []),
        *([] if entry.scroll_speed is None else [show_pair("UVRotate", str(entry.scroll_speed))]),
        *(show_pair(name, ", ".join(map(str, operands))) for name, operands in entry.commands),
        show_pair("Name", entry.title),
        show_pair("Level", f"DATA\\{entry.file.rpartition('.')[0] or entry.file}, {entry.track}"),
    ]


def _of_sky(sky: Sky) -> list[str]:
    layers = [(f"Layer{number}", layer) for number, layer in enumerate(sky.layers, 1) if layer is not None]
    return [
        *(["Horizon= ENABLED"] if sky.has_horizon else []),
        *(show_pair(name, ", ".join(map(str, (*layer.color, layer.speed)))) for name, layer in layers),
    ]
