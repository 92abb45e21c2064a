"""Sound sources (documentation, chapter 8.3.1) as Blender's speakers."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object, Sound, Speaker

from ....catalogue import names
from ....formats import Game
from ....formats.base import SECTOR_SIZE, SOUND_SOURCE, T, joined, put
from ....formats.levels.sounds import TRX_FULL, most_volume
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import put_position, take_over, world_point
from ...core.stages import ExportStage, ImportStage, Steps
from ...core.subjects import Kind

_USUAL_RANGE = 8  # sectors: how far sounds of TR1 and TR2 are heard
_ALWAYS = 0xC0
# Properties of speakers that are set from sounds, in the order of ``shown``, and others that users may set.
_SHOWN = ("volume", "pitch", "distance_max", "distance_reference")
_OWN = (
    "attenuation",
    "volume_min",
    "volume_max",
    "cone_angle_inner",
    "cone_angle_outer",
    "cone_volume_outer",
)

# --- Import ----------------------------------------


def import_sound_sources(context: ImportContext) -> None:
    """Make a speaker for every sound source."""
    context.root.tomb_raider.imported |= {"SOUND_SOURCES"}
    sources = context.level.sound_sources
    collection = context.collection("Sounds", Kind.SOUNDS)
    locations = context.space.to_blender(np.stack([sources[axis] for axis in "xyz"], axis=1))
    for index, record in enumerate(sources):
        number = int(record["sound"])
        name = context.names.numbered(context.names.sound(number), index)
        obj = bpy.data.objects.new(name, bpy.data.speakers.new(name))
        obj.location = locations[index]
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.SOUND_SOURCE, index
        settings.sound_source.sound, settings.sound_source.flags = number, int(record["flags"])
        show_source(obj, context.root)
        collection.objects.link(obj)


def sound_of(root: Collection, number: int) -> Any | None:
    """Return the sound of a level with a number, that for TRX before others, or None."""
    details = root.tomb_raider.sounds.details
    matches = [item for item in details if any(each.number == number for each in item.ids)]
    return max(matches, key=lambda item: bool(item.for_trx), default=None)


def first_sample(item: Any) -> Sound | None:
    """Return the first loaded sample of a sound, or None."""
    return next((slot.sound for slot in item.samples if slot.sound is not None), None)


def show_source(obj: Object, root: Collection) -> None:
    """Set sound, volume, pitch and range of a speaker to those of its level's sound."""
    speaker, item = obj.data, sound_of(root, obj.tomb_raider.sound_source.sound)
    if not isinstance(speaker, Speaker):
        return
    scale, game = root.tomb_raider.scale, Game[root.tomb_raider.game]
    for_trx = item is not None and item.for_trx
    has_range = game.traits.has_sound_range or for_trx
    reach = (_USUAL_RANGE if item is None or not has_range else item.range) * SECTOR_SIZE
    if for_trx:
        reach = item.range_units
    speaker.distance_max = max(reach * scale, scale)
    speaker.distance_reference = speaker.distance_max / 4
    speaker.sound = None if item is None else first_sample(item)
    speaker.muted = speaker.sound is None
    if item is not None:
        speaker.volume = min(item.volume / (TRX_FULL if for_trx else most_volume(game)), 1.0)
        speaker.pitch = 1 + item.pitch / 128 if has_range and not item.random_pitch else 1.0
    obj.tomb_raider.sound_source.shown = [getattr(speaker, name) for name in _SHOWN]


def adopt_speaker(root: Collection, obj: Object) -> bool:
    """Make a speaker that plays a sample of the level a sound source; return whether it does."""
    played = obj.data.sound if isinstance(obj.data, Speaker) else None
    details = root.tomb_raider.sounds.details
    items = (item for item in details if any(slot.sound == played for slot in item.samples) and len(item.ids))
    item = next(items, None) if played is not None else None
    if item is None:
        return False
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.SOUND_SOURCE, -1, root.tomb_raider.origin
    settings.sound_source.sound, settings.sound_source.flags = item.ids[0].number, _ALWAYS
    return True


def new_source(root: Collection, number: int) -> Object:
    """Return a new sound source for a sound of a level, audible in both flip states."""
    name = names(Game[root.tomb_raider.game]).sound(number)
    obj = bpy.data.objects.new(name, bpy.data.speakers.new(name))
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.SOUND_SOURCE, -1, root.tomb_raider.origin
    settings.sound_source.sound, settings.sound_source.flags = number, _ALWAYS
    show_source(obj, root)
    return obj


# --- Export ----------------------------------------


def export_sound_sources(context: ExportContext) -> None:
    """Write the sound sources.

    Raises:
        ExportError: where a value does not fit its field, or a source is too far away.
    """
    original = context.original.sound_sources
    objects = context.objects(Kind.SOUND_SOURCE)
    records = np.zeros(len(objects), SOUND_SOURCE)
    for row, (obj, _) in enumerate(objects):
        _read(context, records[row : row + 1], obj)
        context.note_place(obj, "sound_sources", row)
    context.level.sound_sources = take_over(context, "sound_sources", original, records)


def _read(context: ExportContext, row: Any, obj: Object) -> None:
    original, index = context.original.sound_sources, obj.tomb_raider.index
    settings = obj.tomb_raider.sound_source
    if 0 <= index < len(original):
        row[0] = original[index]
    point = world_point(context, obj, context.space.matrix_of(obj))
    put_position(row[0], point, obj.name, rebuild=context.rebuild)
    put(row[0], "sound", settings.sound, obj.name)
    put(row[0], "flags", settings.flags, obj.name)
    _warn_of_loss(context, obj)


def _warn_of_loss(context: ExportContext, obj: Object) -> None:
    """Warn of settings of a speaker that are not exported: the file has only position and number."""
    speaker, settings = obj.data, obj.tomb_raider.sound_source
    if not isinstance(speaker, Speaker):
        return
    properties = speaker.bl_rna.properties
    changed = [properties[name].name for name in _OWN if getattr(speaker, name) != properties[name].default]  # type: ignore[attr-defined]
    if settings.is_property_set("shown"):
        imported = zip(_SHOWN, settings.shown, strict=True)
        changed += [properties[name].name for name, value in imported if getattr(speaker, name) != value]
    item = sound_of(context.root, settings.sound)
    if changed:
        text = T(
            "settings that the game has no place for at single sources are not exported: {lost}",
            lost=joined(", ", changed),
        )
        text = T("{text}; volume, range and pitch are settings of its sound", text=text)
        context.report.warn(obj.name, text)
    played = speaker.sound
    if item is not None and played is not None and played not in [slot.sound for slot in item.samples]:
        text = T("it plays {played}, which is not a sample of its Sound", played=played.name)
        hint = T("choose its Sound in the panel Tomb Raider Sound Source, or press Update Speakers")
        context.report.warn(obj.name, T("{text}: {hint}", text=text, hint=hint))


STEPS = Steps({ImportStage.REFERENCES: import_sound_sources}, {ExportStage.REFERENCES: export_sound_sources})
