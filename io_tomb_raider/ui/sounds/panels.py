"""Panels of a level's sounds, of sound sources, and of sound files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.types import Collection, Context, Object, UILayout

from ...formats import Game
from ...formats.base import SamplePlace, T
from ...scene.core import Kind, is_for_trx
from ...scene.properties import TombRaiderSoundDetails
from ..base.active import active_collection
from ..base.layout.panels import (
    LevelPart,
    ObjectPanel,
    PropertiesPanel,
    Rows,
    fields,
    listing,
    number_in_file,
    split_columns,
)
from ..base.levels import game_of
from ..base.text.i18n import translate


def title_of(item: TombRaiderSoundDetails, game: Game) -> str:
    """Return a sound's title in lists: all names and numbers that it has in the game."""
    from ...catalogue import names

    catalogue = names(game)
    titles = [f"{catalogue.sound(slot.number)} ({slot.number})" for slot in item.ids]
    title = ", ".join(titles) or T("Not used ({index})", index=item.index)
    return T("{title}, TRX", title=title) if item.for_trx else title


def _ranks(keys: Sequence[Any]) -> list[int]:
    """Return the position of each row when they are sorted by keys."""
    ranks = [0] * len(keys)
    for rank, index in enumerate(sorted(range(len(keys)), key=lambda index: keys[index])):
        ranks[index] = rank
    return ranks


class TOMB_RAIDER_UL_sounds(Rows):
    """List of a level's sounds, by name."""

    bl_idname = "TOMB_RAIDER_UL_sounds"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row()
        row.label(text=title_of(item, game_of(item.id_data)), icon="SOUND")
        sound = next((slot.sound for slot in item.samples if slot.sound is not None), None)
        if sound is not None:
            row.operator("tomb_raider.play_sound", text="", icon="PLAY", emboss=False).sound = sound.name

    def filter_items(self, context: Any, data: Any, property: Any) -> Any:
        items, game = getattr(data, property), game_of(data.id_data)
        titles = [title_of(item, game).lower() for item in items]
        text = self.filter_name.lower()
        flags = [self.bitflag_filter_item if text in title else 0 for title in titles]
        order: list[int] = []
        if self.use_filter_sort_alpha:
            order = _ranks(titles)
        return flags, order


class TOMB_RAIDER_UL_samples(Rows):
    """List of the samples of a sound."""

    bl_idname = "TOMB_RAIDER_UL_samples"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.prop(item, "sound", text="")
        if item.sound is not None:
            row.operator("tomb_raider.play_sound", text="", icon="PLAY").sound = item.sound.name
            row.operator("tomb_raider.replace_sound", text="", icon="FILEBROWSER").sound = item.sound.name
        elif item.sample >= 0:
            row.label(text=translate(T("Sample {sample}, not loaded", sample=item.sample)))


def _edit(layout: Any, level: Collection, action: str, icon: str) -> None:
    button = layout.operator("tomb_raider.edit_sounds", text="", icon=icon)
    button.collection, button.action = level.name, action


class COLLECTION_PT_tomb_raider_sounds(LevelPart):
    bl_label = "Sounds"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and "SOUNDS" in context.collection.tomb_raider.imported

    def draw(self, context: Context) -> None:
        from ...formats.levels.sounds import SampleStorage

        level = active_collection(context)
        settings, game = level.tomb_raider.sounds, game_of(level)
        side = listing(self.layout, TOMB_RAIDER_UL_sounds, settings, "details", "active", rows=6, heading="")
        _edit(side, level, "ADD_SOUND", "ADD")
        _edit(side, level, "REMOVE_SOUND", "REMOVE")
        if 0 <= settings.active < len(settings.details):
            self._draw_sound(level, settings.details[settings.active], game)
        column = split_columns(self)
        column.separator()
        if game.traits.samples is SamplePlace.IN_MAIN_SFX:
            column.prop(settings, "main_sfx", text=SampleStorage.MAIN_SFX.value)
            column.operator("tomb_raider.load_samples", icon="FILE_SOUND").collection = level.name
            column.operator("export_scene.tomb_raider_sounds", icon="EXPORT").source = settings.main_sfx
        column.operator("tomb_raider.show_sound_sources", icon="SPEAKER").collection = level.name

    def _draw_sound(self, level: Collection, item: TombRaiderSoundDetails, game: Game) -> None:
        column = split_columns(self)
        number_in_file(column, item.index)
        for slot in item.ids:
            row = column.row(align=True)
            row.prop(slot, "sound")
            row.prop(slot, "number", text="")
        row = column.row(align=True)
        _edit(row, level, "ADD_NUMBER", "ADD")
        _edit(row, level, "REMOVE_NUMBER", "REMOVE")
        if item.for_trx or is_for_trx(level):
            fields(column, item, "stored_for_trx")
        fields(column, item, "volume", "chance")
        if item.for_trx:
            fields(column, item, "range_units", "pitch")
        elif game.traits.has_sound_range:
            fields(column, item, "range", "pitch")
        fields(column, item, "loop")
        fields(column, item, "random_pitch", "random_volume", "no_pan", "flags", heading="Flags")
        side = listing(
            self.layout, TOMB_RAIDER_UL_samples, item, "samples", "active_sample", rows=4, heading="Samples"
        )
        _edit(side, level, "ADD_SAMPLE", "ADD")
        side.operator("tomb_raider.add_sample_file", text="", icon="FILE_NEW").collection = level.name
        _edit(side, level, "REMOVE_SAMPLE", "REMOVE")
        _edit(side, level, "SAMPLE_UP", "TRIA_UP")
        _edit(side, level, "SAMPLE_DOWN", "TRIA_DOWN")


class OBJECT_PT_tomb_raider_sound_source(ObjectPanel):
    bl_label = "Tomb Raider Sound Source"
    kind = Kind.SOUND_SOURCE

    def draw_fields(self, layout: UILayout, obj: Object, _game: Game) -> None:
        settings = obj.tomb_raider.sound_source
        fields(layout, settings, "name_of_sound", "sound")
        fields(layout, settings, "when_unflipped", "when_flipped", "flags", heading="Flags")
        sound = getattr(obj.data, "sound", None)
        if sound is not None:
            layout.operator("tomb_raider.play_sound", icon="PLAY").sound = sound.name


class TOMB_RAIDER_UL_file_sounds(Rows):
    """List of the sounds of MAIN.SFX and CDAUDIO.WAD in the .blend file."""

    bl_idname = "TOMB_RAIDER_UL_file_sounds"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        tag, row = item.tomb_raider, layout.row()
        row.label(text=f"{tag.number}  {tag.title or item.name}", icon="SOUND")
        row.operator("tomb_raider.play_sound", text="", icon="PLAY", emboss=False).sound = item.name

    def filter_items(self, context: Any, data: Any, property: Any) -> Any:
        from ...scene.subjects.sounds import FILE_KINDS as KINDS

        sounds, text = getattr(data, property), self.filter_name.lower()
        is_shown = (
            sound.tomb_raider.kind in KINDS and text in f"{sound.tomb_raider.title} {sound.name}".lower()
            for sound in sounds
        )
        flags = [self.bitflag_filter_item if show else 0 for show in is_shown]
        return flags, _ranks([(sound.tomb_raider.file, sound.tomb_raider.number) for sound in sounds])


class SCENE_PT_tomb_raider_sound_files(PropertiesPanel):
    bl_label = "Tomb Raider Sound Files"
    bl_context = "scene"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, _context: Context) -> bool:
        from ...scene.subjects.sounds import FILE_KINDS as KINDS

        return any(sound.tomb_raider.kind in KINDS for sound in bpy.data.sounds)

    def draw(self, context: Context) -> None:
        from ...scene.subjects.sounds import FILE_KINDS as KINDS

        manager = context.window_manager
        self.layout.template_list(
            "TOMB_RAIDER_UL_file_sounds", "", bpy.data, "sounds", manager, "tomb_raider_sound", rows=8
        )
        column = split_columns(self)
        index = manager.tomb_raider_sound
        sound = bpy.data.sounds[index] if index < len(bpy.data.sounds) else None
        if sound is None or sound.tomb_raider.kind not in KINDS:
            column.label(text="Choose a sound")
            return
        tag = sound.tomb_raider
        if tag.kind != "MAIN_SFX":  # MAIN.SFX has no names
            column.prop(tag, "title")
        fixed = column.column()
        fixed.enabled = False
        fixed.prop(tag, "file")
        column.operator("tomb_raider.replace_sound", icon="FILEBROWSER").sound = sound.name
        column.operator("tomb_raider.add_to_sound_file", icon="ADD").target = tag.file
        column.operator("export_scene.tomb_raider_sounds", icon="EXPORT").source = tag.file


CLASSES = (
    TOMB_RAIDER_UL_sounds,
    TOMB_RAIDER_UL_samples,
    COLLECTION_PT_tomb_raider_sounds,
    OBJECT_PT_tomb_raider_sound_source,
    TOMB_RAIDER_UL_file_sounds,
    SCENE_PT_tomb_raider_sound_files,
)
