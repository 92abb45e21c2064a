"""Edited imported geometry written into a project, with models of its faces."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np

from ....base.arrays.typing import Bools, Floats
from ....base.messages import T, about
from ....base.units import SECTOR_SIZE
from ....levels.textures.textiles import PAGE_SIZE
from ..compile.rooms.imported import put_in_room
from ..compile.rooms.mesh import level_positions
from ..from_level.from_level import FOLDER, model_of
from ..from_level.models import imported_model, material_file
from ..from_level.rooms.light import has_seams
from ..from_level.rooms.parts import LevelParts
from ..model.objects import NO_OBJECT, WHITE, ImportedGeometry
from ..model.rooms import ProjectRoom
from .imported import PlacedModel, linear_of, put_position, put_turn
from .state import State

TEXTURE, _MODEL, _MATERIALS = "{}.png", "{}_{:03}.obj", "{}.mtl"
_BY_VERTEX_COLORS, _NO_MODEL = 1, -1


class ModelUpdate:
    """Writes the imported geometry of an edited level."""

    def __init__(self, state: State) -> None:
        self._state = state

    def run(self) -> None:
        """Move, add and remove imported geometry."""
        if self._state.models is None:
            return
        present = {each.number for each in self._state.models}
        for number in {each.number for faces in self._state.origin.imported for each in faces} - present:
            if number in self._state.owners:
                room, removed = self._state.owners[number]
                room.objects = [each for each in room.objects if each is not removed]
        for each in self._state.models:
            room = self._state.new[each.room]
            placed = self._placed_model(each, room)
            level_room = self._state.after.level.rooms[each.room]
            corner = np.array(
                [level_room.x - room.x * SECTOR_SIZE, -room.y, level_room.z - room.z * SECTOR_SIZE]
            )
            uncut = self._state.uncut[each.room]
            cut = np.array([uncut.x - level_room.x, 0, uncut.z - level_room.z])
            put_position(placed, each.place + corner + cut)
            fits = put_turn(placed, each.turn)
            if each.is_edited or not fits:
                self._put_model(each, placed, corner)

    def _placed_model(self, model: PlacedModel, room: ProjectRoom) -> ImportedGeometry:
        """Return the object of imported geometry, in its room."""
        existing, source = (self._state.owners.get(number) for number in (model.number, model.source))
        if existing is not None and isinstance(existing[1], ImportedGeometry):
            if all(each is not existing[1] for each in room.objects):
                existing[0].objects = [each for each in existing[0].objects if each is not existing[1]]
                room.objects.append(existing[1])
            return existing[1]
        result = ImportedGeometry(self._state.next_number(), model=_NO_MODEL, lighting=_BY_VERTEX_COLORS)
        if source is not None and isinstance(source[1], ImportedGeometry):
            result = replace(source[1], number=result.number, source=None, script_id=NO_OBJECT, lua_name="")
        room.objects.append(result)
        return result

    def _put_model(self, model: PlacedModel, placed: ImportedGeometry, corner: Floats) -> None:
        """Give imported geometry a new model with its faces as they are."""
        room, faces = self._state.new[model.room], self._state.whole.faces(model.room)
        height = self._state.whole.room(model.room).y
        is_shown = np.zeros(len(faces), np.bool_)
        is_shown[model.faces.quads] = True
        is_shown[(~faces.triangle).sum() + model.faces.triangles] = True
        is_shown &= self._state.whole.textures(model.room).exists & (faces.areas > 0)
        # From the corner and height of the project's room.
        points = faces.points[is_shown] + corner + (0, height, 0)
        turn, position = linear_of(placed), np.array(placed.position)
        local = (
            np.zeros_like(points) if not np.linalg.det(turn) else (points - position) @ np.linalg.inv(turn).T
        )
        # The editor rounds the corners of models before it turns and moves them.
        rounded = put_in_room(placed, np.rint(local).reshape(-1, 3).astype(np.float32))
        if not np.array_equal(level_positions(room, rounded), level_positions(room, points.reshape(-1, 3))):
            placed.y = placed.x = placed.roll = 0.0
            placed.scale = 1.0
            x, y, z = np.rint(position).tolist()
            placed.position = (x, y, z)
            local = points - np.rint(position)
        names = {each.number: each.name for each in self._state.project.settings.imported_geometries}
        name = names.get(placed.model, model.name)
        placed.model, file = self._add_model(self._state.whole, model.room, is_shown, name, np.rint(local))
        placed.lighting, placed.color = _BY_VERTEX_COLORS, WHITE
        level_room = self._state.whole.level.rooms[model.room]
        placed.sharp_edges |= has_seams(self._state.whole.game, level_room, faces, is_shown)
        self._state.result.notes.append(
            about(model.name, T("its mesh was edited: its model is {file} now", file=file))
        )

    def _add_model(
        self, parts: LevelParts, number: int, faces: Bools, name: str, points: Floats | None = None
    ) -> tuple[int, str]:
        """Add a model with faces of a room; return its number and its file."""
        settings, files = self._state.project.settings, self._state.result.files
        file = next(
            file for index in count(number) if (file := _MODEL.format(self._state.name, index)) not in files
        )
        materials, height = _MATERIALS.format(self._state.name), len(parts.decoded.texels) * PAGE_SIZE
        files[file] = model_of(parts, number, faces, materials, height, points)
        files[materials] = material_file(TEXTURE.format(self._state.name))
        self._state.needs_image = True
        model = max((each.number for each in settings.imported_geometries), default=-1) + 1
        settings.imported_geometries.append(imported_model(model, name, FOLDER + file))
        return model, file

    def add(self, new: int, added: Bools) -> None:
        """Add faces of a room as imported geometry with the light of their vertices."""
        faces, textures = self._state.after.faces(new), self._state.after.textures(new)
        rest = textures.exists & added & (faces.areas > 0)
        if not rest.any():
            return
        room = self._state.new[new]
        position = 0.0, float(self._state.after.room(new).y - room.y), 0.0
        model, _ = self._add_model(self._state.after, new, rest, room.name)
        sharp = has_seams(self._state.after.game, self._state.after.level.rooms[new], faces, rest)
        room.objects.append(
            ImportedGeometry(
                self._state.next_number(),
                position,
                model=model,
                lighting=_BY_VERTEX_COLORS,
                sharp_edges=sharp,
            )
        )
