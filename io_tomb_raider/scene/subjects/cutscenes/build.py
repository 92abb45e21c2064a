"""Import of cutscenes of CUTSEQ.PAK and CUTSEQ.BIN (documentation, chapter 14) into their level's scene.

All objects are children of an empty at the cutscene's origin: the actors, which are armatures with the bones
and meshes of the level's models; the camera and its target. Each has an action with a key at every frame.
"""

from __future__ import annotations

import zlib
from math import tau
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....catalogue import names
from ....formats import ExportError, FormatError, Game
from ....formats.base import LARA, N_, TURN, T, Text, inflate_whole
from ....formats.levels.cutscenes import ANGLE_STEP, CAMERA_SCALE, Actor, Cutscene, read_cutscene
from ...core.blender import compat
from ...core.blender.cleanup import undone_on_failure
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import members_of
from ...core.reporting.report import Report
from ...core.space import Space
from ...core.stored import stored_bytes
from ...core.subjects import Kind
from ..animations.keys.curves import curve_paths
from ..cameras.camera_keys import animate, vector
from ..models.poses import positions_to_blender, rotations_to_blender
from .actors import ActorBones, make_actor, make_stand_ins, models_by_id

_KEY = "tr_cutscene"
FIELD_OF_VIEW = 11488 * tau / TURN  # horizontal, as in all cutscenes of the games
# TR5 overrides the number of frames and the audio track of some cutscenes.
_TR5_FRAMES, _TR5_TRACKS = {26: 1978}, {4: 19}


def import_cutscene(
    root: Collection,
    data: bytes,
    number: int,
    *,
    source: str = "",
    quarter_turns: int = 0,
    set_up_scene: bool = True,
) -> tuple[Collection, Report]:
    """Import a cutscene into the scene of a level.

    Args:
        number: the number of the cutscene in its file, from 1.
        quarter_turns: rotation of the cutscene by the game, clockwise from above (TR5).

    Returns:
        The cutscene's collection, and the report.

    Raises:
        ExportError: if the level's game has no such cutscenes.
        FormatError: if the cutscene is damaged. The scene is not changed then.
    """
    if not Game[root.tomb_raider.game].traits.has_cutscene_file:
        raise ExportError(root.name, T("only levels of TR4 and TR5 play the cutscenes of such files"))
    cutscene = read_cutscene(data, f"cutscene {number}")
    if not cutscene.num_frames:
        raise FormatError(f"cutscene {number}", "frames", "none", offset=2)
    with undone_on_failure():
        collection = bpy.data.collections.new(f"Cutscene {number:02}")
        collection.tomb_raider.kind = Kind.CUTSCENE
        settings = collection.tomb_raider.cutscene
        settings.number, settings.source = number, source
        settings.audio_track, settings.frames = cutscene.audio_track, cutscene.num_frames
        settings.quarter_turns = quarter_turns
        collection[_KEY] = zlib.compress(data, 1)
        root.children.link(collection)
        importer = _Importer(root, collection, cutscene)
        camera = importer.run()
        if set_up_scene:
            _play(bpy.context.scene, camera, cutscene.num_frames)
    return collection, importer.report


def original_cutscene(collection: Collection) -> Cutscene | None:
    """Return the cutscene that a collection was imported from, None for a new one.

    Raises:
        FormatError: if the stored cutscene is damaged.
    """
    packed = stored_bytes(collection, _KEY)
    if packed is None:
        return None
    return read_cutscene(inflate_whole(packed, f"{collection.name}, packed"), collection.name)


def angles_of(actor: Actor) -> NDArray[np.uint16]:
    """Return an actor's rotations, (frames, meshes, 3), in 65536ths of a turn."""
    return (actor.rotations * ANGLE_STEP).astype(np.uint16)


def make_origin(collection: Collection, location: Any, quarter_turns: int = 0) -> Object:
    """Make the empty at a cutscene's origin, the parent of its objects."""
    origin = bpy.data.objects.new(f"{collection.name} Origin"[:LONGEST_NAME], None)
    origin.tomb_raider.kind = Kind.CUTSCENE_ORIGIN
    origin.location = location
    origin.rotation_euler.z = turn_angle(quarter_turns)
    origin.empty_display_size = 0.5
    collection.objects.link(origin)
    return origin


def turn_angle(quarter_turns: int) -> float:
    """Return the rotation of a cutscene about Blender's z axis."""
    return -quarter_turns * tau / 4


def make_camera(collection: Collection, origin: Object) -> tuple[Object, Object]:
    """Make a camera with the field of view of the games' cutscenes, and its target."""
    data = bpy.data.cameras.new(f"{collection.name} Camera"[:LONGEST_NAME])
    data.sensor_fit, data.angle = "HORIZONTAL", FIELD_OF_VIEW
    camera = bpy.data.objects.new(data.name, data)
    camera.tomb_raider.kind = Kind.CUTSCENE_CAMERA
    target = bpy.data.objects.new(f"{collection.name} Target"[:LONGEST_NAME], None)
    target.tomb_raider.kind = Kind.CUTSCENE_TARGET
    target.empty_display_type, target.empty_display_size = "SPHERE", 0.2
    for obj in (camera, target):
        obj.parent = origin
        collection.objects.link(obj)
    look_at(camera, target)
    return camera, target


def look_at(camera: Object, target: Object) -> None:
    """Point a camera at its target, upright as in the games."""
    constraint: Any = camera.constraints.new("TRACK_TO")
    constraint.target, constraint.track_axis, constraint.up_axis = target, "TRACK_NEGATIVE_Z", "UP_Y"


class _Importer:
    """One import of a cutscene."""

    def __init__(self, root: Collection, collection: Collection, cutscene: Cutscene) -> None:
        self.root = root
        self.collection = collection
        self.cutscene = cutscene
        self.space = Space.of(root)
        self.report = Report()
        self.names = names(Game[root.tomb_raider.game])

    def run(self) -> Object:
        """Make all objects, and return the camera."""
        settings = self.collection.tomb_raider.cutscene
        location = self.space.to_blender(self.cutscene.origin) + np.array(self.root.tomb_raider.offset)
        origin = make_origin(self.collection, location, settings.quarter_turns)
        actors = self._make_actors(origin)
        camera, target = make_camera(self.collection, origin)
        # Blender has to build the poses before actions can be assigned.
        bpy.context.view_layer.update()
        maker = compat.CurveMaker()
        try:
            for actor, obj in zip(self.cutscene.actors, actors, strict=True):
                self._animate_actor(actor, obj, maker)
            for obj, track in ((camera, self.cutscene.camera), (target, self.cutscene.target)):
                self._animate_position(obj, track, maker)
        finally:
            maker.close()
        self._warn(origin)
        return camera

    def _make_actors(self, origin: Object) -> list[Object]:
        models = models_by_id(self.root)
        actors: dict[int, Object] = {}
        missing: dict[int, tuple[str, int]] = {}
        for number, actor in enumerate(self.cutscene.actors):
            # The games use Lara as the first actor, independent of its slot.
            slot = actor.slot if number else LARA
            name = f"{self.collection.name} {self.names.model(slot)}"
            if slot in models:
                actors[number] = make_actor(self.collection, name, models[slot])
            else:
                missing[number] = name, actor.rotations.shape[1]
                text = T(
                    "its actor {number}, {model}, is not among the level's models",
                    number=number,
                    model=self.names.model(slot),
                )
                self.report.warn(
                    self.collection.name, T("{text}: bones without meshes are shown instead", text=text)
                )
        if missing:
            stand_ins = make_stand_ins(self.collection, list(missing.values()), self.space)
            actors |= dict(zip(missing, stand_ins, strict=True))
        for number, obj in actors.items():
            obj.tomb_raider.index = number
            obj.tomb_raider.actor.slot = self.cutscene.actors[number].slot
            obj.parent = origin
        return [actors[number] for number in range(len(actors))]

    def _animate_actor(self, actor: Actor, obj: Object, maker: compat.CurveMaker) -> None:
        """Animate an actor's bones; only the original keeps rotations without a bone."""
        nodes = actor.rotations.shape[1]
        bones = ActorBones.of(obj, self.space, nodes)
        if bones.rotation_count < nodes:
            text = T(
                "the cutscene animates {count} meshes, and its model has {total}",
                count=nodes,
                total=bones.rotation_count,
            )
            self.report.warn(obj.name, T("{text}: the others are unchanged", text=text))
        if not bones.names:
            return
        frames, names = bones.frames[: bones.rotation_count], bones.names[: bones.rotation_count]
        rotations = rotations_to_blender(angles_of(actor)[:, : bones.rotation_count], frames)
        locations = positions_to_blender(actor.positions(), bones.frames[0], bones.head, self.space)
        values = np.concatenate([locations, rotations.reshape(len(rotations), -1)], axis=1)
        groups = [*bones.names[:1] * 3, *(name for name in names for _ in range(4))]
        paths = curve_paths(bones.names)[: len(groups)]
        channels = [(path, index, keys) for (path, index), keys in zip(paths, values.T, strict=True)]
        animate(maker, obj, channels, groups)

    def _animate_position(self, obj: Object, track: NDArray[np.int16], maker: compat.CurveMaker) -> None:
        values = self.space.to_blender(track.astype(np.int32) * CAMERA_SCALE)
        animate(maker, obj, vector("location", values), ["Location"] * 3)

    def _warn(self, origin: Object) -> None:
        """Warn of overrides by the game, and of an origin outside the level."""
        name = self.collection.name
        number = self.collection.tomb_raider.cutscene.number
        overrides: tuple[tuple[dict[int, int], int, str], ...] = (
            (
                _TR5_FRAMES,
                self.cutscene.num_frames,
                N_("the game plays {number} of its frames, regardless of the file"),
            ),
            (
                _TR5_TRACKS,
                self.cutscene.audio_track,
                N_("the game plays audio track {number} with it, regardless of the file"),
            ),
        )
        for table, value, template in overrides:
            is_tr5 = self.root.tomb_raider.game == Game.TR5.name
            if is_tr5 and table.get(number, value) != value:
                self.report.warn(name, Text(template, {"number": table[number]}))
        if not self._is_within_rooms(origin):
            text = T("it plays outside of this level's rooms: it may belong to another level")
            self.report.warn(name, text)

    def _is_within_rooms(self, origin: Object) -> bool:
        """Return whether the origin is among the rooms, seen from above; true if there are none."""
        rooms = members_of(self.root, Kind.ROOM)
        corners = [
            (room.matrix_world @ type(room.location)(corner))[:]
            for room in rooms
            for corner in (room.bound_box[0], room.bound_box[6])
        ]
        if not corners:
            return True
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        location = np.array(origin.location)
        return bool((location[:2] >= low[:2]).all() and (location[:2] <= high[:2]).all())


def _play(scene: Any, camera: Object, frames: int) -> None:
    """Set the scene's frame range and camera for a cutscene, at the games' 30 frames per second."""
    scene.render.fps, scene.render.fps_base = 30, 1.0
    scene.frame_start, scene.frame_end = 0, frames - 1
    scene.frame_set(0)
    scene.camera = camera
