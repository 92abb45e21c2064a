"""The raw words of a level, read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from io_tomb_raider.formats import Game, Level

NO_ROOM, WALL, NONE = 255, -127, 0xFFFF
SECTOR = 1024
END = 0x8000

# The words after the first one of functions of floor data; triggers have a list of actions.
_OPERANDS = {**dict.fromkeys((1, 2, 3, *range(7, 19)), 1), **dict.fromkeys((5, 6, 19, 20, 21), 0)}
_TRIGGER = 4
_WITH_REFERENCE = (2, 3, 4)  # types of triggers: switch, key, pickup
_WITH_EXTRA_WORD, _WITH_EXTRA_WORD_IN_TRNG = (1, 12), (1, 9, 11, 12)


@dataclass
class Function:
    """A function of floor data.

    Attributes:
        kind: its number. sub: the type of a trigger. operand: the word after the first one.
        reference: the entity of switch, key and pickup triggers.
        actions: type and parameter of each action.
    """

    kind: int
    sub: int
    operand: int = 0
    reference: int | None = None
    actions: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Mesh:
    """What the rules ask of a mesh.

    Attributes:
        vertices: their number. normals: their number, negative for lights.
        faces: the corners, the texture word and the word of effects (0 without) of each textured face.
        colored: the numbers of coloured quads and triangles.
    """

    vertices: int
    normals: int
    faces: list[tuple[int, int, int]]
    colored: tuple[int, int]


class Raw:
    """A level, and the ways of reading it that several rules share."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.game = int(level.game)
        self.models: list[dict[str, int]] = [
            {name: int(record[name]) for name in record.dtype.names} for record in level.models
        ]
        self.animations: list[dict[str, int]] = [
            {name: int(record[name]) for name in record.dtype.names} for record in level.animations
        ]
        self.pointers: list[int] = level.mesh_pointers.tolist()

    # --- Sectors and floor data ---------------------------------------------------------------------

    def sectors(self, number: int) -> Iterator[tuple[int, int, Any]]:
        """Yield column, row and record of the sectors of a room."""
        room = self.level.rooms[number]
        for at, record in enumerate(room.sectors):
            yield (*divmod(at, room.z_sectors), record)

    def at(self, number: int, x: int, z: int) -> Any | None:
        """Return the sector of a room at a place in world units, or None outside of its grid."""
        if not 0 <= number < len(self.level.rooms):
            return None
        room = self.level.rooms[number]
        column, row = (x - room.x) // SECTOR, (z - room.z) // SECTOR
        if not (0 <= column < room.x_sectors and 0 <= row < room.z_sectors):
            return None
        return room.sectors[column * room.z_sectors + row]

    def functions(self, record: Any) -> list[Function]:
        """Return the functions of a sector; none of a list that cannot be read, which ends a game."""
        return self.list_of(record) or []

    def list_of(self, record: Any) -> list[Function] | None:
        """Return the functions of a sector, or None for a list that cannot be read."""
        start = int(record["floor_data"])
        if start not in self._functions:
            self._functions[start] = self._walk(start) if start else []
        return self._functions[start]

    @cached_property
    def _functions(self) -> dict[int, list[Function] | None]:
        return {}

    @cached_property
    def _words(self) -> list[int]:
        words: list[int] = self.level.floor_data.tolist()
        return words

    def _walk(self, at: int) -> list[Function] | None:
        words = self._words
        result: list[Function] = []
        extra = _WITH_EXTRA_WORD_IN_TRNG if self.level.has_trng_footer else _WITH_EXTRA_WORD
        while at < len(words):
            word = words[at]
            function = Function(word & 0x1F, word >> 8 & 0x7F)
            result.append(function)
            at += 1
            if function.kind == _TRIGGER:
                at += 1  # timer, mask, and one shot
                is_first = function.sub in _WITH_REFERENCE
                while at < len(words):
                    action = words[at]
                    at += 1
                    if is_first:
                        function.reference, is_first = action & 0x3FF, False
                    else:
                        kind = action >> 10 & 0x1F
                        function.actions.append((kind, action & 0x3FF))
                        if kind in extra and not action & END and at < len(words):
                            action = words[at]
                            at += 1
                    if action & END:
                        break
            elif function.kind in _OPERANDS:
                if _OPERANDS[function.kind]:
                    function.operand = words[at] if at < len(words) else 0
                    at += 1
            else:
                return None
            if word & END:
                return result if at <= len(words) else None
        return None

    def wall_portal(self, record: Any) -> int | None:
        """Return the room behind a wall of a sector."""
        return next((each.operand for each in self.functions(record) if each.kind == 1), None)

    @cached_property
    def triggers(self) -> list[tuple[int, Function]]:
        """The room and the function of the triggers of all sectors."""
        return [
            (number, function)
            for number in range(len(self.level.rooms))
            for _, _, record in self.sectors(number)
            for function in self.functions(record)
            if function.kind == _TRIGGER
        ]

    # --- Meshes -------------------------------------------------------------------------------------

    @cached_property
    def offsets(self) -> list[int]:
        """The offsets of all meshes, each once."""
        return sorted(set(self.pointers))

    @cached_property
    def meshes(self) -> dict[int, Mesh]:
        """The meshes by their offset; pointers outside of the data are left out."""
        data = self.level.mesh_data.tobytes()
        return {offset: self._mesh(data, offset) for offset in self.offsets if offset < len(data)}

    def _mesh(self, data: bytes, at: int) -> Mesh:
        def word(place: int, *, signed: bool = False) -> int:
            return int.from_bytes(data[place : place + 2], "little", signed=signed)

        at += 10  # sphere
        vertices = word(at)
        at += 2 + 6 * vertices
        normals = word(at, signed=True)
        at += 2 + (6 if normals > 0 else 2) * abs(normals)
        effects = 2 if self.game >= 4 else 0
        faces: list[tuple[int, int, int]] = []
        colored = [0, 0]
        for corners in (4, 3):
            count = word(at)
            at += 2
            for _ in range(count):
                texture = at + 2 * corners
                faces.append((corners, word(texture), word(texture + 2) if effects else 0))
                at = texture + 2 + effects
        if self.game < 4:
            for kind, corners in enumerate((4, 3)):
                colored[kind] = word(at)
                at += 2 + colored[kind] * 2 * (corners + 1)
        return Mesh(vertices, normals, faces, (colored[0], colored[1]))

    def meshes_of(self, model: dict[str, int]) -> list[Mesh]:
        """Return the meshes of a model."""
        pointers = self.pointers[model["first_mesh"] : model["first_mesh"] + model["meshes"]]
        return [self.meshes[pointer] for pointer in pointers if pointer in self.meshes]

    # --- Models and animations ------------------------------------------------------------------------

    def model(self, slot: int) -> dict[str, int] | None:
        """Return the first model with an id."""
        return next((model for model in self.models if model["id"] == slot), None)

    @cached_property
    def is_played(self) -> bool:
        """Whether Lara is there."""
        return self.model(0) is not None and 0 in self.level.entities["type"].tolist()

    @cached_property
    def starts(self) -> list[int]:
        """The first animations of all models, each once. Dummies without meshes that name 0 have none."""
        firsts = {model["animation"] for model in self.models if model["meshes"] or model["animation"]}
        return sorted(first for first in firsts if first < len(self.animations))

    def owner(self, row: int) -> dict[str, int] | None:
        """Return the model that an animation belongs to: the one that begins last before it."""
        before = [start for start in self.starts if start <= row]
        if not before:
            return None
        of_it = [
            model
            for model in self.models
            if model["animation"] == before[-1] and (model["meshes"] or before[-1])
        ]
        return next((model for model in of_it if model["meshes"]), of_it[0])

    def animations_of(self, model: dict[str, int]) -> range:
        """Return the numbers of a model's animations, up to the first one of the next model."""
        first = model["animation"]
        if first not in self.starts or (not model["meshes"] and not first):
            return range(0)
        return range(first, next((start for start in self.starts if start > first), len(self.animations)))


Places = Iterator[int]
Check = Callable[[Raw], Places]


@dataclass(frozen=True)
class Crash:
    """A rule of which a break ends a reader.

    Attributes:
        games: the numbers of the games in which it holds.
        check: yields the numbers of elements that break it, of one kind; 0 for the whole level.
        in_trng: whether it holds in levels of TRNG.
    """

    games: str
    check: Check
    in_trng: bool

    def holds(self, game: Game, trng: bool) -> bool:
        return str(int(game)) in self.games and (self.in_trng or not trng)


CRASHES: dict[str, Crash] = {}


def crash(name: str, games: str = "12345", *, in_trng: bool = True) -> Callable[[Check], Check]:
    """Return a decorator that enters a check under the name of its rule."""

    def enter(check: Check) -> Check:
        CRASHES[name] = Crash(games, check, in_trng)
        return check

    return enter
