"""Transfer of lights."""

from __future__ import annotations

from bpy.types import Object

from ....formats.base import T, as_message
from ....formats.edits.convert import light_values_of, neutral_light
from ....formats.levels.lights import new_light
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .display import LIGHT_KINDS, look_of, show
from .light_sync import set_values, take_over_edits, typed_values
from .values import light_values


def remap_lights(transfer: Transfer) -> None:
    """Remap the values of lights, and discard unsupported kinds."""
    source, target, scale = transfer.source, transfer.target, transfer.root.tomb_raider.scale
    if not transfer.is_foreign:
        return
    lost: dict[str, list[Object]] = {}
    gray: list[str] = []
    for obj in transfer.objects(Kind.LIGHT):
        take_over_edits(obj, source, scale)
        settings = obj.tomb_raider.light
        neutral = neutral_light(source, typed_values(source, settings))
        values = light_values_of(target, neutral)
        if values is None:
            lost.setdefault(neutral.kind, []).append(obj)
            continue
        if not target.traits.has_light_types and min(neutral.color) != max(neutral.color):
            gray.append(obj.name)
        names = light_values(new_light(target, neutral.kind))
        settings.is_shown = False
        set_values(settings, {**names, **{name: each for name, each in values.items() if name in names}})
        if neutral.kind in LIGHT_KINDS:
            show(obj, look_of(target, typed_values(target, settings), scale))
        settings.is_shown = True
    for kind, objects in lost.items():
        transfer.lose(
            T("Lights"),
            [obj.name for obj in objects],
            T("this game has no {kind} lights", kind=as_message(kind.lower())),
        )
        transfer.discard(objects)
    transfer.lose(
        T("Lights"),
        gray,
        T("lights of this game have no color, so they become white, with the same brightness"),
    )
