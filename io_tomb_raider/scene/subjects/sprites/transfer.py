"""Transfer of sprites."""

from __future__ import annotations

from bpy.types import Object

from ....catalogue import names
from ....formats.base import T
from ...core.subjects import Kind
from ...core.transfer import Transfer


def remap_room_sprites(transfer: Transfer) -> None:
    """Discard sprites of rooms if the game does not support them."""
    if transfer.target.traits.has_room_layers:
        objects = transfer.objects(Kind.SPRITE)
        transfer.lose(T("Sprites"), [each.name for each in objects], T("rooms of this game have no sprites"))
        transfer.discard(objects)


def remap_sprites(transfer: Transfer) -> None:
    """Remap the ids of sprite sequences, and discard the pictures of unsupported sequences."""
    objects = transfer.objects(Kind.SPRITE_TEXTURE)
    used = {obj.data for obj in transfer.objects(Kind.SPRITE)}
    lost: dict[str, list[str]] = {}
    removed: list[Object] = []
    for obj in objects:
        settings = obj.tomb_raider.sprite
        identity = int(settings.sequence)
        if identity < 0:
            continue
        number = transfer.number("sprite", identity)
        if number is not None:
            settings.sequence = number
            continue
        note = transfer.notes.get(("sprite", identity), "")
        lost.setdefault(note, []).append(names(transfer.source).sprite(identity))
        settings.sequence = -1
        if obj.data not in used:
            removed.append(obj)
    for note, sequences in lost.items():
        transfer.lose(T("Sprites"), sequences, T("left out: {note}", note=note))
    transfer.discard(removed)
    gets_sides = transfer.target.traits.has_sprite_sides and not transfer.source.traits.has_sprite_sides
    if gets_sides and objects:
        text = T("their game does not store their size: they get the size shown in Blender")
        transfer.report.warn(T("Sprites"), text)
