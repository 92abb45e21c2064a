"""Visibility of base and alternate rooms of a level that flips (documentation, chapter 3.4).

The state is derived from which rooms are hidden, and stored nowhere else. Exports ignore it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bpy.types import Collection, LayerCollection, Object, ViewLayer

from ....formats import Game
from ...core.blender.visibility import hide_objects
from ...core.membership import LevelObjects, is_for_trx, members
from ...core.subjects import Kind

ALL = -1  # the group of games that flip all rooms at once
_OWN_COLLECTIONS = (Kind.COLLISION, Kind.PORTAL, Kind.TRIGGER)  # kinds outside their room's collection


def flip_pairs(root: Collection, objects: LevelObjects | None = None) -> list[tuple[int, Object, Object]]:
    """Return group, base room and alternate room of all rooms with alternates, in their order.

    In TR1 to TR3 all belong to one group, :data:`ALL`, unless rooms have groups for TRX. Of two rooms that
    are each other's alternates the first one counts as the base room. ``objects`` are the level's objects,
    if the caller has them.
    """
    rooms = _rooms(root) if objects is None else objects.of((Kind.ROOM,))
    rooms.sort(key=lambda obj: (obj.tomb_raider.index < 0, obj.tomb_raider.index, obj.name))
    order = {room: number for number, room in enumerate(rooms)}
    has_groups = Game[root.tomb_raider.game].traits.has_flip_groups or (
        is_for_trx(root) and any(room.tomb_raider.room.alternate_group for room in rooms)
    )
    pairs = []
    for number, room in enumerate(rooms):
        settings = room.tomb_raider.room
        alternate = settings.alternate_room
        if alternate is None or alternate not in order or alternate == room:
            continue
        if alternate.tomb_raider.room.alternate_room != room or number < order[alternate]:
            pairs.append((settings.alternate_group if has_groups else ALL, room, alternate))
    return pairs


def _rooms(root: Collection) -> list[Object]:
    # Blender's own property first: it is ten times as fast.
    return [obj for obj in members(root) if obj.type == "MESH" and obj.tomb_raider.kind == Kind.ROOM]


def flip_groups(root: Collection) -> list[int]:
    """Return the groups of rooms that flip together, ascending."""
    return sorted({group for group, _, _ in flip_pairs(root)})


def is_flipped(root: Collection, layer: ViewLayer, group: int) -> bool:
    """Return whether the view layer shows the alternate rooms of a group."""
    layers = _layers_of_rooms(root, layer)
    states = [
        not _is_hidden(alternate, layers)
        for each, room, alternate in flip_pairs(root)
        if each == group and _is_hidden(room, layers) != _is_hidden(alternate, layers)
    ]
    return bool(states) and all(states)


def show_flipped(
    root: Collection, layer: ViewLayer, flipped: Iterable[int], objects: LevelObjects | None = None
) -> None:
    """Show the alternate rooms of the given groups, and the base rooms of all others.

    ``objects`` are those of the level, if the caller has them.
    """
    groups = set(flipped)
    shown, hidden = set(), set()
    for group, room, alternate in flip_pairs(root, objects):
        flips = group in groups
        shown.add(alternate if flips else room)
        hidden.add(room if flips else alternate)
    hidden -= shown
    if not shown:
        return
    layers, children = _layers_of_rooms(root, layer), _children(root)
    changes: dict[Object, bool] = {}
    for room in shown | hidden:
        family = [room]
        for obj in family:
            family += children.get(obj, ())
        changes |= _hide(family, _layer_of(room, layers), room in hidden, hidden)
    hide_objects(changes)


def _children(root: Collection) -> dict[Object, list[Object]]:
    """Return the children of each object: Blender's own list is computed for every object anew."""
    children: dict[Object, list[Object]] = {}
    for obj in members(root):
        if obj.parent is not None:
            children.setdefault(obj.parent, []).append(obj)
    return children


def _layers_of_rooms(root: Collection, layer: ViewLayer) -> dict[Collection, LayerCollection]:
    """Return the layer collections of the rooms' collections."""
    result: dict[Collection, LayerCollection] = {}

    def walk(each: LayerCollection, is_inside: bool) -> None:
        is_inside = is_inside or each.collection == root
        if is_inside and each.collection.tomb_raider.kind == Kind.ROOM:
            result[each.collection] = each
        for child in each.children:
            walk(child, is_inside)

    walk(layer.layer_collection, False)
    return result


def _layer_of(room: Object, layers: dict[Collection, LayerCollection]) -> LayerCollection | None:
    return next((layers[layer] for layer in room.users_collection if layer in layers), None)


def _is_hidden(room: Object, layers: dict[Collection, LayerCollection]) -> bool:
    layer = _layer_of(room, layers)
    return bool(room.hide_viewport or (layer is not None and layer.hide_viewport))


def _hide(
    objects: list[Object], layer: LayerCollection | None, hide: bool, hidden: set[Object]
) -> dict[Object, bool]:
    """Hide or show a room and its children by its collection, unless other rooms are in that.

    Return the objects to be hidden (True) or shown (False) individually.
    """
    rooms = [] if layer is None else [t for t in layer.collection.objects if t.tomb_raider.kind == Kind.ROOM]
    is_alone = layer is not None and all((each in hidden) == hide for each in rooms)
    if layer is not None:
        layer.hide_viewport = hide and is_alone
        layer.collection.hide_render = hide and is_alone
    changes = {}
    for obj in objects:
        is_separate = not is_alone or obj.tomb_raider.kind in _OWN_COLLECTIONS
        if is_separate or obj.hide_viewport:
            changes[obj] = hide and is_separate
    return changes
