"""Pieces of one level of the scene as pieces of another: their objects go over with all that they use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Image, Material, Mesh, Object
from mathutils import Vector

from ....catalogue import names
from ....formats import Game
from ....formats.base.units import SECTOR_SIZE
from ...authoring.texture_regions.import_region import known_blending
from ...core import compat
from ...core.level_uid import take_in
from ...core.members import home_of, members_of
from ...core.report import Report, first_few
from ...subjects.animations.transitions import drop_lost_ways
from ...subjects.textures.materials import belongs_to, user_image
from ...upgrades.versions import upgrade_actions
from .contents import same_name
from .plan import NO_SOUND

_NAMED = 8  # things in one warning
_SPACING = 3 * SECTOR_SIZE


class Places:
    """Finds places for what is new in a library: a row before all that lies there."""

    def __init__(self, root: Collection, kind: str) -> None:
        step = _SPACING * root.tomb_raider.scale
        spots = [thing.location for thing in members_of(root, kind)] or [Vector(root.tomb_raider.offset)]
        self._next = Vector((min(each.x for each in spots), min(each.y for each in spots) - step, 0.0))
        self._step = Vector((step, 0.0, 0.0))

    def take(self) -> Vector:
        """Return the next free place."""
        place = self._next.copy()
        self._next += self._step
        return place


def own_collection(thing: Object) -> Collection:
    """Return the collection of the model that an armature is."""
    return next(
        each
        for each in thing.users_collection
        if each.tomb_raider.kind == "MODEL" and each.tomb_raider.model == thing
    )


# --- Models ----------------------------------------


def move_model(
    root: Collection, source: Collection, number: int, old: Object | None, places: Places
) -> Object:
    """Move a model to the library of a level.

    Args:
        root: the level.
        source: the model's collection.
        number: its id there.
        old: the armature of the model whose place it takes, which goes.
        places: of the library.

    Returns:
        Its armature.
    """
    armature: Object = source.tomb_raider.model
    home = home_of(root, "MODELS")
    for parent in bpy.data.collections:
        if source.name in parent.children:
            parent.children.unlink(source)
    parts = list(source.objects)
    take_in(parts, root)
    for thing in parts:
        if thing is not armature:
            thing.tomb_raider.origin = root.tomb_raider.origin
    _number_parts(armature, parts)
    armature.tomb_raider.model.id = number
    if old is None:
        home.children.link(source)
        armature.location = places.take()
        source.instance_offset = armature.location
    else:
        _replace_model(root, source, armature, old)
    return armature


def _number_parts(armature: Object, parts: Iterable[Object]) -> None:
    """Give parts the numbers of their bones again, by which figures know them."""
    bones = {bone.name: bone.tomb_raider.index for bone in armature.data.bones}
    for part in parts:
        if part.tomb_raider.kind == "MODEL_MESH":
            part.tomb_raider.index = bones.get(part.parent_bone, -1)


def _replace_model(root: Collection, source: Collection, armature: Object, old: Object) -> None:
    """Put a model into the collection of another one, which is gone then: entities go on showing that."""
    home = own_collection(old)
    before = {each.tomb_raider.index: each for each in home.objects if each.tomb_raider.kind == "MODEL_MESH"}
    armature.location, armature.tomb_raider.index = old.location, old.tomb_raider.index
    olds = [each for each in bpy.data.actions if each.tomb_raider.model == old]
    take_numbers(root, actions_of(armature), olds)
    after = {each.tomb_raider.index: each for each in source.objects if each.tomb_raider.kind == "MODEL_MESH"}
    for thing in list(source.objects):
        home.objects.link(thing)
        source.objects.unlink(thing)
    bpy.data.collections.remove(source)
    for each in bpy.data.objects:
        if each.tomb_raider.kind == "FIGURE":
            for number, part in before.items():
                if each.data == part.data and number in after:
                    each.data = after[number].data
    gone: list[Any] = [old, *before.values()]
    for collection in root.children_recursive:
        if collection.tomb_raider.model == old:
            collection.tomb_raider.model = armature
    for number, part in before.items():
        if number in after:
            _remap(part, after[number])
    bpy.data.batch_remove(gone)


def _remap(old: Object, new: Object) -> None:
    """Let what follows a part of a model follow another one: joints, hair and holsters of figures."""
    for thing in bpy.data.objects:
        if thing.tomb_raider.kind != "FIGURE":
            continue
        for constraint in thing.constraints:
            follow: Any = constraint
            if constraint.type == "CHILD_OF" and follow.target == old:
                follow.target = new
        modifier: Any
        for modifier in thing.modifiers:
            if modifier.type != "NODES" or modifier.node_group is None:
                continue
            for item in modifier.node_group.interface.items_tree:
                key = getattr(item, "identifier", "")
                if key and compat.modifier_input(modifier, key) == old:
                    compat.set_modifier_input(modifier, key, new)


def take_numbers(root: Collection, actions: Iterable[Action], olds: Sequence[Action]) -> None:
    """Let animations be those of a model that go, one by one, and the rest new.

    What leads to one of those leads to the one in its place.

    Args:
        root: the level.
        actions: in their order.
        olds: what goes.
    """
    actions = list(actions)
    own = {each.tomb_raider.origin for each in olds if each.tomb_raider.index >= 0}
    numbers = sorted({each.tomb_raider.index for each in olds if each.tomb_raider.index >= 0})
    in_order = sorted(olds, key=lambda action: (action.tomb_raider.index < 0, action.tomb_raider.index))
    for old, new in zip(in_order, actions, strict=False):
        old.user_remap(new)
    bpy.data.batch_remove(list(olds))
    if own <= {root.tomb_raider.origin}:
        for number, action in zip(numbers, actions, strict=False):
            action.tomb_raider.index, action.tomb_raider.origin = number, root.tomb_raider.origin


def actions_of(armature: Object) -> list[Action]:
    """Return the animations of a model in their order."""
    found = [each for each in bpy.data.actions if each.tomb_raider.model == armature]
    return sorted(found, key=lambda action: action.tomb_raider.index)


def sounds_of(armatures: Iterable[Object]) -> set[int]:
    """Return the numbers of the sounds that the animations of some models play."""
    wanted = set(armatures)
    return {
        event.number
        for action in bpy.data.actions
        if action.tomb_raider.model in wanted
        for event in action.tomb_raider.events
        if event.command == "SOUND"
    }


def settle_actions(
    armature: Object, source: Game, target: Game, sounds: Mapping[int, int], report: Report
) -> None:
    """Let the animations of a model play the sounds and effects of the level that it has come to.

    Args:
        armature: the model.
        source: the game that it comes from.
        target: that of the level.
        sounds: the new number of each sound.
        report: takes effects that the game does not know.
    """
    called, calls = names(source), names(target)
    lost: dict[str, None] = {}
    actions = actions_of(armature)
    upgrade_actions(armature, actions)
    for action in actions:
        events = action.tomb_raider.events
        for place in reversed(range(len(events))):
            event = events[place]
            if event.command == "SOUND":
                number: int | None = sounds.get(event.number, event.number)
                number = None if number == NO_SOUND else number
            else:
                number = same_name(event.number, "flipeffect", called, calls)
            if number is None:
                name = called.sound if event.command == "SOUND" else called.flipeffect
                lost[name(event.number)] = None
                for marker in [each for each in action.pose_markers if each.name == event.name]:
                    action.pose_markers.remove(marker)
                events.remove(place)
            elif number != event.number:
                event.number = number
        drop_lost_ways(action)
    if not target.traits.has_lateral_speed:
        _stop_lateral(armature, report)
    if lost:
        text = f"this game does not know what its animations start: {', '.join(lost)}"
        report.warn(armature.name, f"{text}. They go without")


def _stop_lateral(armature: Object, report: Report) -> None:
    """Take the speeds to the side from the animations of a model: TR1 to TR3 know none."""
    names_of: list[str] = []
    for action in actions_of(armature):
        settings = action.tomb_raider
        if settings.lateral_speed or settings.lateral_acceleration:
            settings.lateral_speed = settings.lateral_acceleration = 0.0
            names_of.append(action.name)
    if names_of:
        text = "this game knows no speeds to the side, which are lost in"
        report.warn(armature.name, f"{text} {first_few(names_of, 3)}")


# --- Static meshes and sprites ----------------------------------------


def move_static_mesh(
    root: Collection, thing: Object, number: int, old: Object | None, places: Places
) -> None:
    """Move a static mesh to the library of a level; what showed another one in its place shows it then."""
    _move(root, thing, home_of(root, "STATIC_MESHES"), places if old is None else None)
    thing.tomb_raider.static_mesh.id = number
    if old is not None:
        _replace(thing, old)
        for each in bpy.data.objects:
            if each.tomb_raider.placement.static_mesh == old:
                each.tomb_raider.placement.static_mesh = thing
        bpy.data.objects.remove(old)


def move_sprites(
    root: Collection, things: Iterable[Object], number: int, olds: Iterable[Object], places: Places
) -> None:
    """Move the pictures of a sprite sequence to the library of a level, each for that at its place."""
    before = {each.tomb_raider.sprite.place: each for each in olds}
    home = home_of(root, "SPRITES")
    for thing in things:
        old = before.pop(thing.tomb_raider.sprite.place, None)
        _move(root, thing, home, places if old is None else None)
        thing.tomb_raider.sprite.sequence = number
        if old is not None:
            _replace(thing, old)
            bpy.data.objects.remove(old)
    bpy.data.batch_remove(list(before.values()))


def _move(root: Collection, thing: Object, home: Collection, places: Places | None) -> None:
    for collection in thing.users_collection:
        collection.objects.unlink(thing)
    home.objects.link(thing)
    take_in([thing], root)
    if places is not None:
        thing.location = places.take()


def _replace(thing: Object, old: Object) -> None:
    """Put a thing in the place of another one, also with all that shows the same mesh."""
    thing.location, thing.tomb_raider.index = old.location, old.tomb_raider.index
    for each in bpy.data.objects:
        if each.data == old.data and each != old:
            each.data = thing.data


# --- Materials ----------------------------------------


def take_materials(
    root: Collection, source: Collection | Object, things: Iterable[Object], report: Report
) -> None:
    """Let what things show be pictures of the user's own to a level: an export packs what is needed of them.

    Args:
        root: the level.
        source: the root collection that they come from, or the object that carries an asset's. Its pages go
            with it.
        things: what was moved.
        report: takes what the game cannot show.
    """
    meshes = {thing.data for thing in things if isinstance(thing.data, Mesh)}
    materials = {each for mesh in meshes for each in mesh.materials if each is not None}
    settle_materials(root, source, materials, report, lends=False)


def settle_materials(
    root: Collection,
    source: Collection | Object | None,
    materials: Iterable[Material],
    report: Report,
    *,
    lends: bool,
) -> None:
    """Let materials of another level show what they did, as the user's own of a level.

    Args:
        root: the level.
        source: the root collection that they come from, None where it is not in the scene.
        materials: what is changed.
        report: takes what the game cannot show.
        lends: whether the other level stays, and its pages with it.
    """
    game = Game[root.tomb_raider.game]
    groups: dict[int, int] = {}
    for material in sorted(materials, key=lambda each: str(each.name)):
        settings, image = material.tomb_raider, user_image(material)
        if image is not None and belongs_to(image, root):
            continue  # of what stands for what would have come
        if not lends:
            _take_image(image)
        if settings.kind == "MISSING":
            settings.kind = "NONE"
        blending = known_blending(settings.attribute, game, material.name, report)
        if blending != settings.attribute:
            settings.attribute = blending
        if settings.animation:
            if settings.animation not in groups:
                groups[settings.animation] = _take_group(root, source, settings.animation, lends=lends)
            settings.animation = groups[settings.animation]
            if not settings.animation:
                report.warn(material.name, "its faces stand still, as their animated texture stayed behind")


def _take_image(image: Image | None) -> None:
    for each in () if image is None else (image, image.tomb_raider.heights):
        if each is not None:
            each.tomb_raider.kind = "NONE"


def _take_group(root: Collection, source: Collection | Object | None, number: int, *, lends: bool) -> int:
    """Add an animated texture of another level to a level; return its number there, 0 where there is none."""
    known = () if source is None else source.tomb_raider.animated.groups
    before = next((each for each in known if each.uid == number), None)
    if before is None:
        return 0
    groups = root.tomb_raider.animated.groups
    made = groups.add()
    made.name = before.name
    made.uid = max((each.uid for each in groups), default=0) + 1
    scrolls = Game[root.tomb_raider.game].traits.has_scrolling_textures
    if scrolls and before.scrolls:
        made.scrolls = True
    for frame in before.frames:
        new = made.frames.add()
        for name in ("image", "page", "corners", "is_triangle", "attribute", "bump"):
            setattr(new, name, getattr(frame, name))
        if not lends:
            _take_image(frame.image)
    made.player = before.player
    return int(made.uid)
