"""Copies of models of the scene: what another level gets, while the one that has it keeps its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Material, Mesh, Object

from ...core import compat
from ...core.members import parent_as
from ...core.report import Report
from ...subjects.animations.transitions import Leads, Numbers
from ...subjects.textures.materials import belongs_to, user_image
from ...upgrades.versions import upgrade_actions
from .move import actions_of, own_collection, settle_materials


def copy_model(armature: Object) -> Collection:
    """Return a collection with a copy of a model: armature, meshes and animations. It lies nowhere yet.

    Args:
        armature: the model.
    """
    source = own_collection(armature)
    made = bpy.data.collections.new(source.name)
    made.tomb_raider.kind = "MODEL"
    made.instance_offset = source.instance_offset
    copies: dict[Object, Any] = {thing: thing.copy() for thing in source.objects}
    for thing, copy in copies.items():
        if thing.data is not None:
            copy.data = thing.data.copy()
        if thing.parent in copies:
            parent_as(copy, thing, copies[thing.parent])
        for constraint in copy.constraints:
            target = getattr(constraint, "target", None)
            if target in copies:
                constraint.target = copies[target]
        made.objects.link(copy)
    own = copies[armature]
    made.tomb_raider.model = own
    copy_actions(actions_of(armature), armature, own)
    return made


def copy_actions(actions: Sequence[Action], before: Object, after: Object) -> list[Action]:
    """Copy animations for another armature, which lead to one another as theirs do, and return them.

    Args:
        actions: of a model, in their order.
        before: its armature.
        after: whose the copies are.
    """
    upgrade_actions(before, actions)
    leads = Leads()
    following = {action: leads.next(action) for action in actions}
    targets = {action: leads.targets(action) for action in actions}
    copies: dict[Action | None, Any] = {action: action.copy() for action in actions}
    kept = after.tomb_raider.model.animations
    kept.clear()
    for copy in copies.values():
        kept.add().action = copy
    numbers = Numbers(after)
    for action in actions:
        copy, other = copies[action], following[action]
        copy.name = action.name
        settings = copy.tomb_raider
        settings.model = settings.home = after
        settings.next_number = numbers.of(copies.get(other, other))
        for way, target in zip(settings.dispatches, targets[action], strict=True):
            way.number = numbers.of(copies.get(target, target))
    data = before.animation_data
    shown = None if data is None or data.action is None else copies.get(data.action)
    if copies:
        compat.assign_action(after, shown or next(iter(copies.values())))
    return list(copies.values())


def copy_things(things: Iterable[Object]) -> dict[Object, Object]:
    """Return copies of things by these: they share data as those do, hang on one another, and lie nowhere."""
    found: dict[Object, Any] = {each: each.copy() for each in things}
    data: dict[Any, Any] = {}
    for before, made in found.items():
        if before.data is not None:
            data[before.data] = data.get(before.data) or before.data.copy()
            made.data = data[before.data]
        if before.parent in found:
            parent_as(made, before, found[before.parent])
    return dict(found)


def be_new(things: Iterable[Object]) -> None:
    """Let copies have no place in any file."""
    for thing in things:
        thing.tomb_raider.index = -1
        if isinstance(thing.data, Mesh):
            thing.data.tomb_raider.index = -1


def lend_materials(
    root: Collection, source: Collection | Object | None, things: Iterable[Object], report: Report
) -> None:
    """Let meshes that come from another level have materials of their own, where they show its pages.

    Args:
        root: the level that they have come to.
        source: the other one, which keeps what it has; None where it is not in the scene.
        things: the objects that show them.
        report: takes what the game cannot show.
    """
    if source == root:
        return
    own: dict[Any, Any] = {}
    shown = list(things)
    for mesh in dict.fromkeys(thing.data for thing in shown if isinstance(thing.data, Mesh)):
        for slot, material in enumerate(mesh.materials):
            if material is not None and _shows_other_pages(material, root):
                own.setdefault(material, None)
                own[material] = own[material] or material.copy()
                mesh.materials[slot] = own[material]
    settle_materials(root, source, own.values(), report, lends=True)


def _shows_other_pages(material: Material, root: Collection) -> bool:
    """Tell whether a material belongs to another level: by its image, or where it has none."""
    image = user_image(material)
    if image is None:
        return bool(material.tomb_raider.kind == "MISSING")
    return image.tomb_raider.kind != "NONE" and not belongs_to(image, root)
