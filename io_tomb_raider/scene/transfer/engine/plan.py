"""Plan of an import of pieces: companions, conflicts and ids."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from bpy.types import Collection, Object

from ....catalogue import Catalogue, companions, listed_numbers, names
from ....formats import Game
from ....formats.base import T, as_message, joined
from ...core import original
from ...core.membership import members
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...core.transfer import NumberMaps
from ...subjects.static_meshes.new import free_id
from .contents import KINDS, Piece
from .ids import library_number

SKIP, FREE_ID, REPLACE = "SKIP", "FREE_ID", "REPLACE"
# Models that are only imported to be copied from get ids that no game has.
TEMPORARY = "TEMPORARY"
FIRST_TEMPORARY = 0x100000


class PlannedImport(NamedTuple):
    """A piece to import."""

    piece: Piece  #: the piece of the file.
    number: int  #: its number in the level.
    replaces: bool  #: whether it replaces the piece of the level with this number.


class UsedIds(NamedTuple):
    """The ids that a level uses."""

    model: set[int]
    static: set[int]
    sprite: set[int]
    sound: set[int]

    def of(self, kind: str) -> set[int]:
        """Return the ids of a kind."""
        return {"model": self.model, "static": self.static, "sprite": self.sprite, "sound": self.sound}[kind]

    def others(self, kind: str) -> set[int]:
        """Return the ids of the other kind that shares them: models and sprites do."""
        return {"model": self.sprite, "sprite": self.model}.get(kind, set())


def used_ids(root: Collection, without: Container[Object] = ()) -> UsedIds:
    """Return the ids that a level uses, without those of some of its objects."""
    used = UsedIds(set(), set(), set(), set())
    for obj in members(root):
        if obj in without:
            continue
        settings = obj.tomb_raider
        if settings.kind == Kind.MODEL:
            used.model.add(settings.model.id)
        elif settings.kind == Kind.STATIC_MESH:
            used.static.add(settings.static_mesh.id)
        elif settings.kind == Kind.SPRITE_TEXTURE:
            used.sprite.add(settings.sprite.sequence)
    used.sprite.discard(-1)
    used.sound.update(each.number for item in root.tomb_raider.sounds.details for each in item.ids)
    return used


def most_sounds(root: Collection) -> int:
    """Return the number of entries in the sound map of a level."""
    decoded = original.load(root)
    level = None if decoded is None else decoded.level
    return len(level.sound_map) if level is not None and level.has("sound_details") else 0


def with_companions(
    selected: Sequence[Piece],
    available: Sequence[Piece],
    used: UsedIds,
    game: Game,
    target: Game,
    report: Report,
) -> list[Piece]:
    """Return pieces with the pieces that they need, unless the level has those.

    Args:
        game: the game of the file.
    """
    by_key = {(each.kind, each.number): each for each in available}
    source_names = names(game)
    result = dict.fromkeys(selected)
    waiting = [each for each in selected if each.kind == "model"]
    while waiting:
        piece = waiting.pop(0)
        lacking = []
        for kind, number in companions(game, piece.number, needed=True):
            level_number = library_number(kind, number, game, target).exact
            companion = by_key.get((kind, number))
            if companion in result or (level_number is not None and level_number in used.of(kind)):
                continue
            if companion is None:
                lacking.append(_title(_name(source_names, kind, number), kind, number))
            else:
                result[companion] = None
                waiting += [companion] if kind == "model" else []
        if lacking:
            text = T(
                "it needs {lacking}, which neither the file nor the level has", lacking=joined(", ", lacking)
            )
            report.warn(piece.name, text)
    return list(result)


def report_companions(
    pieces: Iterable[Piece], available: Sequence[Piece], used: UsedIds, game: Game, report: Report
) -> None:
    """Report unselected pieces of the file that often accompany imported models."""
    by_key = {(each.kind, each.number): each for each in available}
    imported = set(pieces)
    for piece in imported:
        if piece.kind != "model":
            continue
        others = [by_key.get(each) for each in companions(game, piece.number, needed=False)]
        offered = [
            each for each in others if each and each not in imported and each.number not in used.of(each.kind)
        ]
        if offered:
            listed = joined(", ", (_title(each.name, each.kind, each.number) for each in offered))
            report.warn(
                piece.name, T("objects that are often used with it were not chosen: {names}", names=listed)
            )


def _title(name: str, kind: str, number: int) -> str:
    return T("{name} ({kind} {number})", name=name, kind=as_message(kind), number=number)


def _name(source_names: Catalogue, kind: str, number: int) -> str:
    named = {"model": source_names.model, "sprite": source_names.sprite, "sound": source_names.sound}
    return named[kind](number)


class Dependency(NamedTuple):
    """A piece that another piece needs or is often used with."""

    kind: str
    name: str  #: its name in the catalogue of the game of the file.
    is_available: bool  #: whether the file or the level has it.
    is_needed: bool  #: whether the other piece needs it.


def dependencies_of_piece(
    piece: Piece, available: Container[tuple[str, int]], used: UsedIds, game: Game, target: Game
) -> list[Dependency]:
    """Return the pieces that a piece needs, then those of the file that it is often used with.

    Args:
        available: kinds and numbers of the pieces of the file.
        game: the game of the file.
    """
    if piece.kind != "model":
        return []
    source_names = names(game)
    result = []
    for is_needed in (True, False):
        for kind, number in companions(game, piece.number, needed=is_needed):
            level_number = library_number(kind, number, game, target).exact
            is_available = (kind, number) in available
            if is_needed or is_available:
                is_present = level_number is not None and level_number in used.of(kind)
                result.append(
                    Dependency(kind, _name(source_names, kind, number), is_available or is_present, is_needed)
                )
    return result


class Numbering:
    """Assignment of numbers in a level to pieces of a file."""

    def __init__(
        self, source: Game, target: Game, used: UsedIds, on_conflict: str, most_sounds: int, report: Report
    ) -> None:
        """Start with the ids that a level uses.

        Args:
            source: the game of the file.
            used: the ids that the level uses; those of planned pieces are added.
            on_conflict: the policy for pieces whose id is used: SKIP, FREE_ID, REPLACE or TEMPORARY.
            most_sounds: the number of entries in the sound map of the level.
        """
        self._source, self._target = names(source), names(target)
        self._used, self._report = used, report
        self._on_conflict, self._most_sounds = on_conflict, most_sounds
        #: by kind, the numbers in the level by those in the file.
        self.numbers: NumberMaps = {kind: {} for kind in KINDS}
        self._given: set[tuple[str, int]] = set()

    def plan(self, piece: Piece, *, is_asked: bool, on_conflict: str = "") -> PlannedImport | None:
        """Return the planned import of a piece, or None if the level keeps its own.

        Args:
            is_asked: whether the user has selected it; companions never replace pieces.
            on_conflict: the policy if its number is used; "" for the usual one.
        """
        kind = piece.kind
        if self._on_conflict == TEMPORARY and kind == "model":
            self.numbers[kind][piece.number] = FIRST_TEMPORARY + piece.number
            return PlannedImport(piece, FIRST_TEMPORARY + piece.number, False)
        known = self._known(piece)
        if kind == "sound" and (kind, known) in self._given:
            known = None  # another imported sound has the same number in this game
        number = self._unknown(piece) if known is None else known
        used = self._used.of(kind)
        if number in used or number in self._used.others(kind):
            on_conflict = on_conflict or (self._on_conflict if is_asked else SKIP)
            if on_conflict == SKIP or (on_conflict == REPLACE and number not in used):
                self._skip(piece, number, is_asked=is_asked)
                return None
            if on_conflict == REPLACE and (kind, number) in self._given:
                on_conflict = FREE_ID  # several pieces of the file have one number in this game
            if on_conflict == REPLACE:
                self._given.add((kind, number))
                self.numbers[kind][piece.number] = number
                return PlannedImport(piece, number, True)
            free = self._free(kind)
            if free is None:
                self._report.warn(piece.name, T("it is left out: no number is free"))
                return None
            self._report.warn(
                piece.name,
                T(
                    "its number {number} is taken, so it is {kind} {free} here",
                    number=number,
                    kind=kind_title(kind),
                    free=free,
                ),
            )
            number = free
        elif number != piece.number and is_asked and (known is not None or kind == "sound"):
            text = T(
                "it is {kind} {number} in this game, and was {old_number} in the file",
                kind=kind_title(kind),
                number=number,
                old_number=piece.number,
            )
            self._report.warn(piece.name, text)
        used.add(number)
        self._given.add((kind, number))
        self.numbers[kind][piece.number] = number
        return PlannedImport(piece, number, False)

    def number(self, kind: str, number: int) -> int:
        """Return the number in the level of a number in the file, or -1."""
        result = self.numbers[kind].get(number)
        return -1 if result is None else result

    def _known(self, piece: Piece) -> int | None:
        """Return the number of a piece in the target game, or None; a similar object's only if it is free."""
        counterpart = library_number(piece.kind, piece.number, self._source.game, self._target.game)
        if counterpart.number is None or counterpart.is_exact:
            return counterpart.number
        is_used = counterpart.number in self._used.of(piece.kind) | self._used.others(piece.kind)
        return None if is_used else counterpart.number

    def exact_first(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Return pieces in the order of numbering: those that the target game has first."""
        games = self._source.game, self._target.game
        return sorted(pieces, key=lambda each: library_number(each.kind, each.number, *games).exact is None)

    def _unknown(self, piece: Piece) -> int:
        """Return the number of a piece unknown to the target game: the same if it has no meaning there."""
        free = self._free(piece.kind)
        other = self._target.known(piece.kind).get(piece.number)
        if piece.kind != "sound" and (other is None or free is None):
            return piece.number
        if free is None:
            return piece.number
        means = self._target.known(piece.kind).get(free)
        if piece.kind != "sound" or means:
            text = T(
                "this game has no counterpart, so it becomes {kind} {number}",
                kind=kind_title(piece.kind),
                number=free,
            )
            self._report.warn(
                piece.name, text + (T(", which the game calls {means}", means=means) if means else "")
            )
        return free

    def _skip(self, piece: Piece, number: int, *, is_asked: bool) -> None:
        # A sound that the target game does not have must not play the sound with its number there.
        is_other = piece.kind == "sound" and self._known(piece) is None
        self.numbers[piece.kind][piece.number] = None if is_other else number
        if is_asked:
            text = T(
                "it is left out: the level has {kind} {number} already",
                kind=kind_title(piece.kind),
                number=number,
            )
            self._report.warn(piece.name, T("{text}. Choose a free id for it, or replace that", text=text))

    def _free(self, kind: str) -> int | None:
        """Return an unused number, preferably one without a meaning in the target game, or None."""
        used = self._used.of(kind) | self._used.others(kind)
        if kind == "static":
            return free_id(used)
        named = {**self._target.known(kind), **(self._target.known("sprite") if kind == "model" else {})}
        most = self._most_sounds if kind == "sound" else max(self._target.known("model"), default=0) + 1
        free = [number for number in range(1, most) if number not in used]
        # Engines play some sounds that have a name in other games only, as those of Lara.
        named.update(dict.fromkeys(listed_numbers(kind, self._target.game) - named.keys(), ""))
        ranks: tuple[Callable[[int], bool], ...] = (
            lambda number: named.get(number, "").startswith("Animating") and "MIP" not in named[number],
            lambda number: number not in named,
        )
        for rank in ranks[1:] if kind == "sound" else ranks:
            result = next((number for number in free if rank(number)), None)
            if result is not None:
                return result
        return free[-1] if free else None


def numbering_of(
    root: Collection, source: Game, report: Report, on_conflict: str = SKIP, used: UsedIds | None = None
) -> Numbering:
    """Return the numbering of pieces of a game for a level of the scene.

    Args:
        on_conflict: the policy for pieces whose number is used: SKIP or FREE_ID.
        used: the ids that the level uses; None to look them up.
    """
    used = used_ids(root) if used is None else used
    return Numbering(source, Game[root.tomb_raider.game], used, on_conflict, most_sounds(root), report)


def kind_title(kind: str) -> str:
    """Return the singular name of a kind."""
    return as_message("static mesh" if kind == "static" else kind)
