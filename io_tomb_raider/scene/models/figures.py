"""What the games draw in place of a model: from TR3 on, Lara's own meshes are none to look at.

The game moves Lara by model 0 but draws her skin, another model, and in TR4 and TR5 the joints between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
from bpy.types import Collection, Object

from ...formats import Game
from ..base import compat
from ..base.context import ImportContext
from .build import Skeleton
from .models import ModelLibrary

_LARA = 0
_SKINS = {Game.TR3: (315,), Game.TR4: (8, 9), Game.TR5: (8, 9)}


def _skins(context: ImportContext, skeletons: Sequence[Skeleton], library: ModelLibrary) -> list[int]:
    """Return the ids of the models that are drawn for Lara: those that have as many bones as she."""
    bones = {
        int(thing.tomb_raider.model.id): len(thing.data.bones)
        for thing in (skeleton.armature for skeleton in skeletons)
        if thing.tomb_raider.model.id in library.collections
    }
    wanted = _SKINS.get(context.level.game, ())
    return [number for number in wanted if _LARA in bones and bones.get(number) == bones[_LARA]]


def import_figures(
    context: ImportContext, skeletons: Sequence[Skeleton], library: ModelLibrary
) -> dict[int, Collection]:
    """Make a collection of all that is drawn for Lara, for entities to show.

    It stands for model 0, so an entity that shows it is of type 0.

    Returns:
        What the game draws in place of a model, by the model's id.
    """
    skins = [library.collections[number] for number in _skins(context, skeletons, library)]
    if not skins:
        return {}
    lara = library.collections[_LARA]
    figure = context.collection(f"{lara.name} as drawn", "MODEL", library.home)
    figure.tomb_raider.model = lara.tomb_raider.model
    figure.instance_offset = skins[0].instance_offset
    for skin in skins:
        # Skin and joints belong together, so they stand at one place of the library.
        skin.tomb_raider.model.location = skin.instance_offset = skins[0].instance_offset
        figure.children.link(skin)
    return {_LARA: figure}


def pose_figures(figures: Iterable[Collection]) -> None:
    """Put what is drawn for a model into the pose that the model has."""
    for figure in figures:
        data = figure.tomb_raider.model.animation_data
        if data is None or data.action is None:
            continue
        for skin in figure.children:
            compat.assign_action(skin.tomb_raider.model, data.action)


def is_drawn_for(skin: Object, model: Object) -> bool:
    """Tell whether one model is drawn for another one, and so shows its animations."""
    return any(
        each.tomb_raider.model == skin
        for figure in bpy.data.collections
        if figure.tomb_raider.kind == "MODEL" and figure.tomb_raider.model == model
        for each in figure.children
    )
