"""Base and alternate rooms of a level that flips.

A connection to a base room is one to its alternate as well: when a level flips, games exchange the rooms, not
the numbers (documentation, chapter 3.4). So no connection refers to an alternate room's own number.
"""

from __future__ import annotations

from bpy.types import Collection, Object

from ..rooms.flipping import flip_pairs


class RoomStates:
    """The states of the rooms of a level."""

    def __init__(self, root: Collection) -> None:
        self._base: dict[Object, Object] = {}
        self._state: dict[Object, tuple[int, bool]] = {}
        for group, room, other in flip_pairs(root):
            self._base[other] = room
            self._state[room], self._state[other] = (group, False), (group, True)

    def at(self, room: Object) -> list[Object]:
        """Return a room, its base room and its alternates, itself first."""
        base = self.named(room)
        return [room, *(each for each in (base, *self._base) if each != room and self.named(each) == base)]

    def named(self, room: Object) -> Object:
        """Return the room to which connections to a room refer: its base room, or itself."""
        return self._base.get(room, room)

    def is_alternate(self, room: Object) -> bool:
        """Return whether a room is an alternate room."""
        return room in self._base

    def can_meet(self, first: Object, second: Object) -> bool:
        """Return whether two rooms ever exist at the same time."""
        if self.named(first) == self.named(second):
            return False
        if first not in self._state or second not in self._state:
            return True
        (group, flipped), (other_group, other_flipped) = self._state[first], self._state[second]
        return group != other_group or flipped == other_flipped
