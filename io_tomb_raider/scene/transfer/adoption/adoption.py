"""Adoption: objects that users add to a level with Blender's own tools get a kind.

An instance of a model becomes an entity, an object with the mesh of a static mesh a placement, one with the
quad of a sprite a room sprite, a lamp a light, a speaker a sound source, a camera a fixed camera, and a mesh
in the library of static meshes a static mesh. Duplicates are marked as copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from bpy.types import Action, Camera, Collection, Light, Mesh, Object, Speaker

from ....formats.base import T
from ...core.blender import compat
from ...core.level_uid import claim_objects
from ...core.membership import collection_kinds, collision_of, is_local, level_of, levels
from ...core.order import rank_of_copy
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...subjects.animations.changes.transitions import next_of, set_next, set_target, target_of
from ...subjects.animations.new_actions import claim_new_action
from ...subjects.cameras.fixed import adopt_camera
from ...subjects.cutscenes.cinematics import is_on_stage
from ...subjects.entities.entities import adopt_entity
from ...subjects.lights.lights import adopt_light
from ...subjects.sounds.sources import adopt_speaker
from ...subjects.sprites.room_sprites import adopt_sprite
from ...subjects.static_meshes.new import adopt_static_mesh
from ...subjects.static_meshes.placements import adopt_placement
from ..engine.motion import pair_bones, retarget_actions
from .asset_drop import WORLD, claim_assets
from .import_referenced_data import import_shown
from .linked import copy_linked
from .remap_foreign import remap_foreign


def adopt_played(objects: Iterable[Object]) -> bool:
    """Claim the played actions that belong to no model of the scene; return whether there were any.

    New actions become animations, too.
    """
    models = list(objects)
    given, is_changed = set(models), False
    for obj in models:
        if not obj.is_editable or obj.animation_data is None:
            continue
        is_changed |= claim_new_action(obj)
        action = obj.animation_data.action
        owner = None if action is None else action.tomb_raider.model
        # Most actions are of the level, and level_of searches the whole file.
        if action is None or owner is None or owner in given or level_of(owner) is not None:
            continue
        claimed: Any = action if action.is_editable else action.copy()
        if claimed != action:
            compat.assign_action(obj, claimed)
        retarget_actions([claimed], owner, obj, pair_bones(owner, obj))
        _claim_action(claimed, obj)
        is_changed = True
    return is_changed


def _claim_action(action: Action, obj: Object) -> None:
    """Register an action as a new, looping animation of a model, without transitions to other models."""
    settings: Any = action.tomb_raider
    following, transitions = next_of(action), settings.dispatches
    targets = [target_of(transition) for transition in transitions]
    settings.model, settings.index, settings.origin = obj, -1, obj.tomb_raider.origin
    settings.home = obj
    animations: Any = obj.tomb_raider.model.animations
    if all(each.action != action for each in animations):
        animations.add().action = action
    is_left = following is not None and following.tomb_raider.model != obj
    set_next(action, action if is_left else following)
    for index in reversed(range(len(transitions))):
        target = targets[index]
        if target is None or target.tomb_raider.model != obj:
            transitions.remove(index)
        else:
            set_target(transitions[index], target)


_LIBRARIES: dict[str, str] = {Kind.STATIC_MESH: Kind.STATIC_MESHES, Kind.SPRITE_TEXTURE: Kind.SPRITES}
_LOOSE = frozenset({Kind.NONE, *_LIBRARIES})  # objects that may become another kind


class Adopted(NamedTuple):
    """The result of an adoption."""

    objects: list[Object]  #: the objects that got a kind.
    is_changed: bool  #: whether anything was changed.


def adopt(root: Collection, report: Report | None = None) -> Adopted:
    """Adopt the new objects of a level, unless the level is linked or an override."""
    if not is_local(root):
        return Adopted([], False)
    report = Report() if report is None else report
    home_kinds, is_changed = collection_kinds(root), False
    for claim in (copy_linked, _unlink_dependencies, claim_assets):
        if claim(root, home_kinds, report):
            home_kinds, is_changed = collection_kinds(root), True
    before = {obj: int(obj.tomb_raider.origin) for obj in home_kinds if obj.is_editable}
    claimed = claim_objects(before, root)
    foreign = {obj: origin for obj, origin in before.items() if obj in claimed}
    for obj in foreign:
        alternate = obj.tomb_raider.room.alternate_room
        if alternate is not None and alternate not in home_kinds:
            obj.tomb_raider.room.alternate_room = None
    remap_foreign(root, foreign, report)
    claim_objects(foreign, root)  # their meshes may be copies now
    kinds_of = {obj: obj.tomb_raider.kind for obj in home_kinds}
    is_changed |= adopt_played(obj for obj, kind in kinds_of.items() if kind == Kind.MODEL)
    if import_shown(root, kinds_of, foreign, report):
        home_kinds, is_changed = collection_kinds(root), True
        kinds_of = {obj: obj.tomb_raider.kind for obj in home_kinds}
    loose = [(obj, home_kinds[obj]) for obj, kind in kinds_of.items() if kind in _LOOSE]
    # Static meshes first: placements refer to them.
    adopted = [obj for obj, kinds in loose if _joins_library(obj, kinds) and adopt_static_mesh(root, obj)]
    adopted += [obj for obj, kinds in loose if obj.is_editable and _adopt(root, obj, kinds)]
    is_marked = mark_copies(home_kinds)
    return Adopted(adopted, is_changed or is_marked or bool(claimed or adopted))


def _unlink_dependencies(root: Collection, home_kinds: dict[Object, set[str]], report: Report) -> bool:
    """Unlink objects that Blender pasted only as dependencies; return whether there were any.

    Blender also pastes the room of an object, and the meshes of the model that it shows.
    """
    other_levels: set[int] = set()
    candidates: list[tuple[Object, str]] = []
    for obj, kinds in home_kinds.items():
        settings = obj.tomb_raider
        kind = settings.kind
        if kind not in (Kind.ROOM, Kind.MODEL_MESH):
            other_levels.add(settings.origin)
        elif not kinds.isdisjoint(WORLD) and obj.is_editable:
            candidates.append((obj, kind))
    other_levels -= {0, root.tomb_raider.origin}
    if other_levels:
        other_levels.difference_update(each.tomb_raider.origin for each in levels())
    unlinked = []
    for obj, kind in candidates:
        if kind == Kind.MODEL_MESH:
            if any(each.tomb_raider.kind == Kind.MODEL for each in obj.users_collection):
                unlinked.append(obj)
        elif obj.tomb_raider.origin in other_levels and collision_of(obj) is None:
            unlinked.append(obj)
            text = T(
                "it was added with its contents, but without its collision, and was left out: append "
                "it instead"
            )
            report.warn(obj.name, text)
    inside = {root, *root.children_recursive} if unlinked else set()
    for obj in unlinked:
        for home in obj.users_collection:
            if home in inside and home.tomb_raider.kind != Kind.MODEL:
                home.objects.unlink(obj)
    return bool(unlinked)


def _joins_library(obj: Object, home_kinds: set[str]) -> bool:
    """Return whether an object without a kind is in the library of static meshes and not in the world."""
    is_new = obj.is_editable and obj.tomb_raider.kind == Kind.NONE
    return is_new and Kind.STATIC_MESHES in home_kinds and home_kinds.isdisjoint(WORLD)


def _adopt(root: Collection, obj: Object, home_kinds: set[str]) -> bool:
    kind = obj.tomb_raider.kind
    if home_kinds.isdisjoint(WORLD) or _LIBRARIES.get(kind) in home_kinds:
        return False
    if kind == Kind.STATIC_MESH:
        return adopt_placement(root, obj)
    if kind == Kind.SPRITE_TEXTURE:
        return adopt_sprite(root, obj)
    if kind != Kind.NONE:
        return False
    if obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
        return not is_on_stage(obj) and adopt_entity(root, obj)
    if isinstance(obj.data, Mesh):
        return adopt_placement(root, obj) or adopt_sprite(root, obj)
    if isinstance(obj.data, Light):
        return adopt_light(root, obj)
    if isinstance(obj.data, Speaker):
        return adopt_speaker(root, obj)
    # Cameras in other collections may be for viewing or rendering.
    return isinstance(obj.data, Camera) and Kind.CAMERAS in home_kinds and adopt_camera(root, obj)


def mark_copies(homes: Iterable[Object]) -> bool:
    """Set ``is_copy`` on all but one of a level's objects with one index; return whether any was set."""
    claimed: dict[tuple[str, int, Object | None], list[Object]] = {}
    for obj in homes:
        settings = obj.tomb_raider
        kind = settings.kind
        if settings.index >= 0 and kind != Kind.NONE and not settings.is_copy:
            # Each model counts its bones from 0.
            model = obj.parent if kind == Kind.MODEL_MESH else None
            claimed.setdefault((kind, settings.index, model), []).append(obj)
    is_changed = False
    for objects in claimed.values():
        if len(objects) < 2:
            continue
        for copy in sorted(objects, key=rank_of_copy)[1:]:
            if copy.is_editable:
                copy.tomb_raider.is_copy = is_changed = True
                _forget_unique(copy, objects)
    return is_changed


def _forget_unique(copy: Object, objects: list[Object]) -> None:
    """Clear what only one of the objects with one index can have: an alternate room, a name for scripts."""
    settings = copy.tomb_raider
    alternate = settings.room.alternate_room
    if alternate is not None:  # Blender has replaced it by its copy if that was copied, too
        others = (each.tomb_raider.room.alternate_room for each in objects if each != copy)
        if alternate in others:
            settings.room.alternate_room = None
    if settings.kind == Kind.ENTITY and settings.entity.script_name:
        settings.entity.script_name = ""
