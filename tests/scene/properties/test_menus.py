"""Enumerations of typed properties: files store choices as numbers, which must never change."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

_IMAGES = "NONE=0 PAGE=1 PALETTE=2 MISC=3 PICTURE=4"
# In display order, with the stored numbers.
MENUS = {
    "TombRaiderCollection.engine": "ORIGINAL=0 TRX=1",
    "TombRaiderCollection.game": "TR1=1 TR2=2 TR3=3 TR4=4 TR5=5",
    "TombRaiderObject.game": "TR1=1 TR2=2 TR3=3 TR4=4 TR5=5",
    "TombRaiderCollection.pathfinding": "AUTOMATIC=0 ALWAYS=1 NEVER=2",
    "TombRaiderCommand.command": "NOTHING=0 POSITION=1 JUMP=2 HANDS=3 KILL=4 OTHER=7",
    "TombRaiderEngineProperty.type": "INTEGER=0 FLOAT=1 DOUBLE=2 BOOLEAN=3 VECTOR=4 COLOR=5 LUA=6",
    "TombRaiderEvent.command": "SOUND=5 EFFECT=6",
    "TombRaiderEvent.place": "ANYWHERE=0 LAND=1 WATER=2 BOTH=3",
    "TombRaiderEvent.foot": "NONE=0 LEFT=1 RIGHT=2 BOTH=3",
    "TombRaiderEvent.kind": "SOUND=5 EFFECT=6",
    "TombRaiderFinding.found_by": "CHECK=0 EXPORT=1",
    "TombRaiderFinding.severity": "INFO=0 WARNING=1 ERROR=2",
    "TombRaiderImage.kind": _IMAGES,
    "TombRaiderImage.use": "ANY=0 ROOMS=1 OBJECTS=2 BUMPED=3 HEIGHTS=4",
    "TombRaiderGameflow.fog_bulbs": "GAME=0 ON=1 OFF=2",
    "TombRaiderLimb.kind": "LEG=0 ARM=1 TRUNK=2 BODY=3",
    "TombRaiderLevel.lara": "NORMAL=0 CATSUIT=3 DIVESUIT=4 INVISIBLE=6 OTHER=-1",
    "TombRaiderLevel.weather": "NORMAL=0 RAIN=1 SNOW=2 OTHER=-1",
    "TombRaiderLevelImage.kind": _IMAGES,
    "TombRaiderMaterial.kind": "NONE=0 PAGE=1 PALETTE=2 MISSING=3 GUIDE=4",
    "TombRaiderMaterial.collision": (
        "NONE=0 FLOOR=1 SLOPE=2 CEILING=3 WALL=4 DEATH=5 OPENING=6 CLIMB=7 MONKEY_SWING=8 "
        "ROUNDED_LITTLE=9 ROUNDED=10 ROUNDED_MUCH=11"
    ),
    "TombRaiderMaterial.large": "SHRINK=0 CUT=1",
    "TombRaiderFirstView.shading": "AUTO=0 MATERIAL=1 SOLID=2",
    "TombRaiderRoom.mesh_and_sectors": "INDEPENDENT=0 SECTORS=1 MESH=2",
    "TombRaiderRoom.reverberation": "OUTSIDE=0 SMALL=1 MEDIUM=2 LARGE=3 PIPE=4 OTHER=65536",
    "TombRaiderSound.kind": "NONE=0 SAMPLE=1 MAIN_SFX=2 CD_AUDIO=3 TRACK_FILE=4",
    "TombRaiderTexturing.grid": "16=16 32=32 64=64 128=128 256=256 FREE=1",
    "TombRaiderTexturing.palette": "PAGE=0 LEVEL=1 RECENT=2 FAVORITES=3",
    "TombRaiderTexturing.upright": "VIEW=0 COMPASS=1",
    "TombRaiderTexturing.walls": "STRETCH=0 SCALE=1",
    "TombRaiderTile.blending": "OPAQUE=0 ALPHA=1 ADDITIVE=2",
    "TombRaiderWatching.motion": "NONE=0 TREADMILL=1 FOLLOW=2",
    "TombRaiderTexturePath.kind": "DEFAULT=0 REFLECTIVE=1 SKYBOX=2 OTHER=3",
    "TombRaiderText.kind": "NONE=0 GAMEFLOW=1 SCRIPT=2 LANGUAGE=3",
}
# test_subjects.py checks their numbers.
SUBJECTS = {"TombRaiderCollection.kind", "TombRaiderCollection.imported", "TombRaiderObject.kind"}


def test_choices_keep_their_numbers_and_their_order(blender: ModuleType) -> None:
    found = {}
    for group in bpy.types.PropertyGroup.__subclasses__():
        for field in group.bl_rna.properties if group.__name__.startswith("TombRaider") else ():
            # Menus that depend on the game are empty here.
            if isinstance(field, bpy.types.EnumProperty) and len(field.enum_items):
                items = [f"{item.identifier}={item.value}" for item in field.enum_items]
                found[f"{group.__name__}.{field.identifier}"] = " ".join(items)
    assert {name: items for name, items in found.items() if name not in SUBJECTS} == MENUS


def test_blend_modes_are_offered_in_the_order_of_their_numbers(blender: ModuleType) -> None:
    modes = ["OPAQUE", "ALPHA", "ADDITIVE", "INVERTED", "NO_DEPTH_TEST", "SUBTRACTIVE", "WIREFRAME", "FADING"]
    material = bpy.data.materials.new("Own")
    for kind, first in (("NONE", ["AUTOMATIC"]), ("PAGE", [])):
        material.tomb_raider.kind = kind
        offered = ", ".join(repr(mode) for mode in [*first, *modes, "OTHER"])
        with pytest.raises(TypeError, match=rf"\({offered}\)"):  # Blender lists the choices in their order
            material.tomb_raider.blending = "NO_SUCH_MODE"
