"""Skins of appended models, which levels have no place for: they are imported as static meshes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object

from ....formats import Level
from ....formats.editors.wads import SkinEdit, Wad2Extras
from ...core.membership import members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.models.bones import own_bones
from ...subjects.skins.skins import add_skin
from .replace import parts_of


class SkinsToAppend:
    """The skins of a level that is appended from."""

    def __init__(self, level: Level, extras: Wad2Extras | None) -> None:
        self.level = level  #: the level, with a static mesh for each skin.
        self._hidden = {} if extras is None else extras.hidden
        self._skins: dict[int, tuple[int, int, SkinEdit]] = {}  # by model: its row, the static mesh, the skin
        rows = {} if extras is None else extras.skins
        skins = [(row, edit) for row, edit in rows.items() if edit is not None and level.has("static_meshes")]
        if not skins:
            return
        first = int(level.static_meshes["id"].max(initial=0)) + 1
        records = np.zeros(len(skins), level.static_meshes.dtype)
        records["id"] = np.arange(first, first + len(skins))
        records["mesh"] = [edit.pointer for _, edit in skins]
        self.level = level.copy()
        self.level.static_meshes = np.concatenate([level.static_meshes, records])
        for number, (row, edit) in enumerate(skins, first):
            self._skins.setdefault(int(level.models["id"][row]), (row, number, edit))

    def carriers_of(self, models: Container[int]) -> set[int]:
        """Return the static meshes with the skins of some models, by their ids."""
        return {number for model, (_, number, _) in self._skins.items() if model in models}

    def add_to(self, source: Collection, models: Mapping[int, Object]) -> None:
        """Give the models of an imported level their skins, in place of the static meshes."""
        statics = {each.tomb_raider.static_mesh.id: each for each in members_of(source, Kind.STATIC_MESH)}
        for model, (row, number, edit) in self._skins.items():
            carrier, armature = statics.get(number), models.get(model)
            if carrier is None or armature is None:
                continue
            mesh: Any = carrier.data
            bpy.data.objects.remove(carrier)
            mesh.name = f"{armature.name} Skin"
            first, parts = int(self.level.models["first_mesh"][row]), parts_of(armature)
            for place, bone in enumerate(own_bones(armature)):
                if self._hidden.get(first + place) and bone.name in parts:
                    parts[bone.name].data.tomb_raider.is_hidden = True
            add_skin(armature, mesh, edit.vertices, edit.pairs, Space.of(source))
