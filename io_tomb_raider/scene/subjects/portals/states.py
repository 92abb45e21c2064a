"""Which rooms can be there at the same time, and by which room others name them, where the level flips.

What leads to a room that another takes the place of leads to either: games keep the number, and exchange
what is behind it (documentation, chapter 3.4). So nothing leads to an alternate room by its own number.
"""

from __future__ import annotations

from bpy.types import Collection, Object

from ..rooms.flipping import flip_pairs


class RoomStates:
    """The states of a level's rooms.

    Args:
        root: the level.
    """

    def __init__(self, root: Collection) -> None:
        self._base: dict[Object, Object] = {}
        self._state: dict[Object, tuple[int, bool]] = {}
        for group, room, other in flip_pairs(root):
            self._base[other] = room
            self._state[room], self._state[other] = (group, False), (group, True)

    def at(self, room: Object) -> list[Object]:
        """Return the rooms at the place of a room: itself, and those that are there at another time."""
        base = self.named(room)
        return [room, *(each for each in (base, *self._base) if each != room and self.named(each) == base)]

    def named(self, room: Object) -> Object:
        """Return the room by which others lead to a room: itself, or the one whose place it takes."""
        return self._base.get(room, room)

    def is_alternate(self, room: Object) -> bool:
        """Tell whether a room takes the place of another one."""
        return room in self._base

    def can_meet(self, one: Object, other: Object) -> bool:
        """Tell whether two rooms are ever there at the same time, and not at the same place."""
        if self.named(one) == self.named(other):
            return False
        if one not in self._state or other not in self._state:
            return True
        (group, flipped), (other_group, other_flipped) = self._state[one], self._state[other]
        return group != other_group or flipped == other_flipped
