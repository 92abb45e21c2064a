"""Kits for converted levels: levels of the target game with objects that its engine needs."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path

from bpy.types import Collection

from ....catalogue import is_pickup, named_item
from ....formats import ExportError, FormatError, Game, Level
from ....formats.base import SamplePlace, T, read_file
from ....formats.levels.sounds import read_main_sfx
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report
from ...subjects.sounds.samples import find_main_sfx
from ..append.appending import append
from ..append.blend import SourceLevel
from ..engine.choice import PieceSelection
from ..engine.contents import Piece, pieces_of, read_source
from ..engine.plan import REPLACE, used_ids

_LARA = "lara"
_IN_MENU = "(menu)"


@dataclass(frozen=True)
class Kit:
    """A level of the target game of a conversion."""

    path: Path
    level: Level
    main_sfx: Path | None = None  #: the file with its samples, for TR2 and TR3, or None.
    samples: int = -1  #: the number of samples in that file, or -1.

    @property
    def numbers(self) -> set[int]:
        """The ids of all models and sprite sequences to import."""
        return {each.number for each in _kit_pieces(self.level, set()) if each.kind != "sound"}


def read_kit(path: Path, game: Game, game_folder: Callable[[Game], Path | None]) -> Kit:
    """Read a kit.

    Raises:
        ExportError: the kit is for another game, or has no library.
        FormatError: the file is not a level, or damaged.
        OSError: the file cannot be read.
    """
    level = read_source(path)
    if level.game is not game:
        text = T(
            "it is a kit for {kit_game}, and the level is for {game}",
            kit_game=level.game.name,
            game=game.name,
        )
        raise ExportError(path.name, T("{text}: choose another kit", text=text))
    has_main_sfx = game.traits.samples is SamplePlace.IN_MAIN_SFX
    main_sfx = find_main_sfx(path, lambda: game_folder(game)) if has_main_sfx else None
    if main_sfx is None:
        return Kit(path, level)
    try:
        return Kit(path, level, main_sfx, len(read_main_sfx(read_file(main_sfx))))
    except (FormatError, OSError):
        return Kit(path, level)


def import_kit(
    root: Collection,
    kit: Kit,
    report: Report,
    game_folder: Callable[[Game], Path | None],
    listener: Listener | None = None,
) -> None:
    """Import Lara's objects, menu objects, effects and sounds of a kit into a level.

    Lara's objects of the level are replaced; sprites are only imported if their id is unused.
    """
    pieces = _kit_pieces(kit.level, used_ids(root).of("sprite"))
    if not pieces:
        report.warn(kit.path.name, T("it has no objects of Lara"))
        return
    texts = {
        kind: ",".join(str(each.number) for each in pieces if each.kind == kind)
        for kind in ("model", "sprite", "sound")
    }
    appended = append(
        root,
        kit.path,
        PieceSelection(texts["model"], sprites=texts["sprite"], sounds=texts["sound"]),
        source=SourceLevel(kit.level),
        on_conflict=REPLACE,
        game_folder=game_folder,
        listener=listener,
    )
    report.warn_again(appended.report)


def _kit_pieces(level: Level, used: Container[int]) -> list[Piece]:
    """Return the pieces of a kit to import, without sprites with used ids."""
    return [
        each
        for each in pieces_of(level)
        if (each.kind == "model" and (_is_laras(each) or _is_for_menu(each, level.game)))
        or (each.kind == "sprite" and each.number not in used)
        or (each.kind == "sound" and _is_laras(each))
    ]


def _is_laras(piece: Piece) -> bool:
    return piece.name.casefold().startswith(_LARA)


def _is_for_menu(piece: Piece, game: Game) -> bool:
    """Return whether a model is shown in the menu: in TR4 and TR5, pickups are."""
    if game.traits.has_ai_objects:
        return is_pickup(game, piece.number) and named_item(game, piece.number) is None
    return _IN_MENU in piece.name
