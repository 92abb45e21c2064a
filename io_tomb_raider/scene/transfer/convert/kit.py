"""A kit for a converted level: a level of its new game, which has what engines need of their own game."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path

from bpy.types import Collection

from ....catalogue.pickups import is_pickup, named_item
from ....formats import ExportError, FormatError, Game, Level
from ....formats.base.files import read_file
from ....formats.games import SamplePlace
from ....formats.sounds.files import read_main_sfx
from ...core.progress import Listener
from ...core.report import Report
from ...subjects.sounds.samples import find_main_sfx
from ..append.append import append
from ..engine.choice import Selection
from ..engine.contents import Entry, pieces_of, read_source
from ..engine.plan import REPLACE, taken_ids

_HERS = "lara"
_IN_MENU = "(menu)"


@dataclass(frozen=True)
class Kit:
    """A level of the game that another one is converted to.

    Attributes:
        path: its file.
        level: what it holds.
        main_sfx: its samples, for TR2 and TR3, where they are found.
        samples: how many these are.
    """

    path: Path
    level: Level
    main_sfx: Path | None = None
    samples: int = -1

    @property
    def numbers(self) -> set[int]:
        """The ids of all models and sprite sequences that come of it."""
        return {each.number for each in _wanted(self.level, set()) if each.kind != "sound"}


def read_kit(path: Path, game: Game, game_folder: Callable[[Game], Path | None]) -> Kit:
    """Read a kit.

    Raises:
        ExportError: where it is for another game, or has no library.
        FormatError: where it is no level, or damaged.
        OSError: where it cannot be read.
    """
    level = read_source(path)
    if level.game is not game:
        text = f"it is a kit for {level.game.name}, and the level shall be one of {game.name}"
        raise ExportError(path.name, f"{text}: choose another kit")
    main_sfx = find_main_sfx(path, lambda: game_folder(game)) if _lists_samples(game) else None
    if main_sfx is None:
        return Kit(path, level)
    try:
        return Kit(path, level, main_sfx, len(read_main_sfx(read_file(main_sfx))))
    except (FormatError, OSError):
        return Kit(path, level)


def _lists_samples(game: Game) -> bool:
    return game.traits.samples is SamplePlace.IN_MAIN_SFX


def bring_kit(
    root: Collection,
    kit: Kit,
    report: Report,
    game_folder: Callable[[Game], Path | None],
    listener: Listener | None = None,
) -> None:
    """Bring Lara with all that is hers, objects of the menu, effects and sounds of a kit into a level.

    What the level has of Lara is replaced; effects and sounds come where it has none of their number.

    Args:
        root: the level, converted.
        kit: of the same game.
        report: takes what there is to tell.
        game_folder: where games are installed.
        listener: is told of every step.
    """
    wanted = _wanted(kit.level, taken_ids(root).of("sprite"))
    if not wanted:
        report.warn(kit.path.name, "it has nothing of Lara's")
        return
    texts = {
        kind: ",".join(str(each.number) for each in wanted if each.kind == kind)
        for kind in ("model", "sprite", "sound")
    }
    got = append(
        root,
        kit.path,
        Selection(texts["model"], sprites=texts["sprite"], sounds=texts["sound"]),
        level=kit.level,
        taken=REPLACE,
        game_folder=game_folder,
        listener=listener,
    )
    report.warn_again(got.report)


def _wanted(level: Level, taken: Container[int]) -> list[Entry]:
    """Return what of a kit comes, but for sprites whose numbers are taken."""
    return [
        each
        for each in pieces_of(level)
        if (each.kind == "model" and (_is_hers(each) or _is_for_menu(each, level.game)))
        or (each.kind == "sprite" and each.number not in taken)
        or (each.kind == "sound" and _is_hers(each))
    ]


def _is_hers(piece: Entry) -> bool:
    return piece.name.casefold().startswith(_HERS)


def _is_for_menu(piece: Entry, game: Game) -> bool:
    """Tell whether a model is one of the menu's; TR4 and TR5 show items there as they lie about."""
    if game.traits.has_ai_objects:
        return is_pickup(game, piece.number) and named_item(game, piece.number) is None
    return _IN_MENU in piece.name
