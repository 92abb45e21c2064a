"""Export of cutscenes: sampling of a cutscene's collection frame by frame.

Transforms are sampled in world space, so parents and constraints are included. An angle with the same
rotation as the original's keeps its value; so tracks that were not edited keep their bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T, joined
from ....formats.levels.animations import angles_from_quaternions, closest_angles
from ....formats.levels.cutscenes import (
    ACTOR_SCALE,
    ANGLE_BITS,
    ANGLE_STEP,
    CAMERA_SCALE,
    LARA_NODES,
    MOST_FRAMES,
    Actor,
    Cutscene,
    to_track,
)
from ...core.membership import levels, members, members_of
from ...core.order import ordered
from ...core.reporting.report import Report
from ...core.reporting.results import Rebuilt
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.poly_mesh import transformed
from ..models.poses import multiply
from .actors import ActorBones, is_lara
from .build import angles_of, original_cutscene, turn_angle
from .sampling import ObjectMotion, sample, to_file_axes
from .shots import aim_of, axes_of, cameras_at, cuts_to

_TARGET_DISTANCE = 1024  # units: distance of the target of a camera without one
_PRECISION = 1e-5  # of the distance from the world's origin: the precision of 32-bit floats
_MAX_ROLL = 0.02  # tolerated roll of a camera without a target


class ExportedCutscene(NamedTuple):
    """The result of an export of a cutscene."""

    content: bytes  #: the bytes of the cutscene in a file of cutscenes.
    report: Report  #: the warnings.
    rebuilt: Rebuilt  #: counts of differences from the original.


def export_cutscene(collection: Collection, scale: float, *, rebuild: bool = False) -> ExportedCutscene:
    """Return the bytes of a cutscene's collection for a file of cutscenes.

    Raises:
        ExportError: if the scene has values that the games cannot represent.
        FormatError: if the stored original is damaged.
    """
    export = _CutsceneExport(collection, Space(scale), rebuild)
    return ExportedCutscene(export.run().to_bytes(), export.report, export.rebuilt)


@dataclass(frozen=True, eq=False)
class _Base:
    """The coordinate system of a cutscene's tracks."""

    origin: NDArray[np.int64]  #: (3,) int64, in the file's units.
    inverse: Matrix  #: from Blender's world to the origin, with the game's rotation of the cutscene.

    def positions(self, motion: ObjectMotion, space: Space, subject: str) -> NDArray[np.float64]:
        """Return the positions of a motion relative to the origin, (n, 3) in the file's units."""
        return space.to_file(transformed(motion.positions, self.inverse), subject)


def _has_range(obj: Object) -> bool:
    data = obj.animation_data
    return data is not None and data.action is not None and data.action.use_frame_range


class _CutsceneExport:
    """One export of a cutscene."""

    def __init__(self, collection: Collection, space: Space, rebuild: bool) -> None:
        self.collection = collection
        self.space = space
        self.rebuild = rebuild
        level = next((each for each in levels() if collection in each.children_recursive), None)
        self.offset = np.array((0.0, 0.0, 0.0) if level is None else level.tomb_raider.offset, np.float64)
        self.scene: Any = bpy.context.scene
        self.report, self.rebuilt = Report(), Rebuilt()
        self.original = original_cutscene(collection)
        self._sources = self._original_actors()

    def run(self) -> Cutscene:
        actors, bones = self._actors()
        cameras = self._cameras()
        targets = dict.fromkeys(aim for camera in cameras if (aim := aim_of(camera)) is not None)
        objects = [*cameras, *targets, *actors]
        times = self._times(objects)
        cuts = cuts_to(self.scene, cameras) or [(0, cameras[0])]
        shown = cameras_at(cuts, times)
        self._warn_of_other_cameras(cameras, times)
        motions = sample(objects, bones, times, self.space, self.report)
        base = self._base(motions[shown[0]])
        target_track, camera_track = self._camera_tracks(shown, motions, base)
        x, y, z = base.origin.tolist()
        result = Cutscene(
            (x, y, z),
            self.collection.tomb_raider.cutscene.audio_track,
            target_track,
            camera_track,
            actors=[self._actor(obj, bones[obj], motions[obj], base, times) for obj in actors],
            source=self.original.source if self.original is not None and not self.rebuild else None,
        )
        self._count(result)
        return result

    # --- Cameras

    def _cameras(self) -> list[Object]:
        """Return the cameras, the one whose action has the frame range first.

        All but one need a cut to them; then cameras that are not the cutscene's by their kind count, too.
        """
        own = [obj for obj, _ in self._objects(Kind.CUTSCENE_CAMERA)]
        others = [obj for obj in members(self.collection) if obj.type == "CAMERA" and obj not in own]
        cut = {camera for _, camera in cuts_to(self.scene, [*own, *others])}
        cameras = [*own, *(obj for obj in others if obj in cut)]
        if not cameras:
            raise ExportError(self.collection.name, T("it has no camera"))
        if len(cameras) > 1 and not cut:
            names = joined(T(" and "), (obj.name for obj in cameras[:2]))
            text = T("it has several cameras ({names}): bind them to markers of the timeline", names=names)
            raise ExportError(self.collection.name, text)
        return sorted(cameras, key=lambda obj: not _has_range(obj))

    def _camera_tracks(
        self, shown: list[Object], motions: dict[Object, ObjectMotion], base: _Base
    ) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return the tracks of the target and of the camera, (n, 3), by the camera shown at each frame."""
        tracks = np.zeros((2, len(shown), 3), np.int16)
        for camera in dict.fromkeys(shown):
            rows = np.array([each == camera for each in shown])
            target = aim_of(camera)
            motion = motions[camera].part(rows)
            aim = self._ahead(camera, motion) if target is None else motions[target].part(rows)
            for track, each, obj in zip(tracks, (aim, motion), (target or camera, camera), strict=True):
                positions = base.positions(each, self.space, obj.name)
                track[rows] = to_track(positions, CAMERA_SCALE, obj.name)
        return tracks[0], tracks[1]

    def _warn_of_other_cameras(self, cameras: list[Object], times: NDArray[np.int64]) -> None:
        """Warn of cuts to cameras that belong to no cutscene."""
        for marker in self.scene.timeline_markers:
            camera = marker.camera
            if camera is None or camera in cameras or not times[0] <= marker.frame <= times[-1]:
                continue
            if all(home.tomb_raider.kind != Kind.CUTSCENE for home in camera.users_collection):
                text = T(
                    "a marker shows it, but it is not in the collection {name}", name=self.collection.name
                )
                self.report.warn(camera.name, text)

    # --- Objects

    def _objects(self, kind: str) -> list[tuple[Object, int]]:
        return ordered(members_of(self.collection, kind))

    def _single(self, kind: str) -> Object | None:
        """Return the single object of a kind, or None."""
        objects = [obj for obj, _ in self._objects(kind)]
        if len(objects) > 1:
            names = joined(T(" and "), (obj.name for obj in objects[:2]))
            raise ExportError(self.collection.name, T("only one of these is possible: {names}", names=names))
        return objects[0] if objects else None

    def _original_actors(self) -> dict[Object, Actor]:
        """Return the original of each imported actor."""
        actors = self.original.actors if self.original is not None else []
        objects = self._objects(Kind.CUTSCENE_ACTOR)
        return {obj: actors[index] for obj, index in objects if 0 <= index < len(actors)}

    def _actors(self) -> tuple[list[Object], dict[Object, ActorBones]]:
        actors: list[Object] = []
        for obj, _ in self._objects(Kind.CUTSCENE_ACTOR):
            if obj.type != "ARMATURE":
                raise ExportError(obj.name, T("an actor must be an armature"))
            actors.append(obj)
        if actors and not self._is_first(actors[0]):
            actors.sort(key=lambda obj: not is_lara(obj))
        if actors and not self._is_first(actors[0]):
            # The games pose Lara by the first actor, whatever its slot is.
            problem = T(
                "in the game, the first actor of a cutscene is Lara, with {count} meshes", count=LARA_NODES
            )
            raise ExportError(actors[0].name, problem)
        nodes = {obj: source.rotations.shape[1] for obj, source in self._sources.items()}
        return actors, {obj: ActorBones.of(obj, self.space, nodes.get(obj)) for obj in actors}

    def _is_first(self, obj: Object) -> bool:
        """Return whether an actor can be the first: that of the original, or Lara."""
        source = self._sources.get(obj)
        return is_lara(obj) or (
            source is not None and self.original is not None and source is self.original.actors[0]
        )

    # --- Frames

    def _times(self, objects: list[Object]) -> NDArray[np.int64]:
        """Return the frames of the scene to export.

        Frame ranges set by the user have precedence, the camera's first. Otherwise keys after the imported
        ones extend the cutscene.
        """
        actions = {
            obj: obj.animation_data.action
            for obj in objects
            if obj.animation_data is not None and obj.animation_data.action is not None
        }
        imported = self.original.num_frames if self.original is not None else 0
        by_hand = {
            obj: (action.frame_start, action.frame_end)
            for obj, action in actions.items()
            if action.use_frame_range and (action.frame_start, action.frame_end) != (0, imported - 1)
        }
        if by_hand:
            starts, ends = zip(*by_hand.values(), strict=True)
            start, end = by_hand.get(objects[0], (min(starts), max(ends)))
            if len(set(by_hand.values())) > 1:
                text = T(
                    "the frame ranges of its actions differ: frames {start:g} to {end:g} are exported",
                    start=start,
                    end=end,
                )
                self.report.warn(self.collection.name, text)
        else:
            ranges = [action.curve_frame_range[:] for action in actions.values()]
            end = max([*(each[1] for each in ranges), imported - 1])
            start = 0 if imported else min((each[0] for each in ranges), default=0)
        count = round(end) - round(start) + 1
        if count < 1:
            raise ExportError(
                self.collection.name, T("has no frames: set the frame range of its camera's action")
            )
        if count > MOST_FRAMES:
            raise ExportError(self.collection.name, T("has too many frames"), count=count, limit=MOST_FRAMES)
        return round(start) + np.arange(count)

    # --- Positions

    def _base(self, camera: ObjectMotion) -> _Base:
        """Return the origin: the empty's if it was moved or added, else the file's."""
        empty = self._single(Kind.CUTSCENE_ORIGIN)
        old = None if self.original is None else np.array(self.original.origin, np.int64)
        if empty is not None:
            location = np.array(world_matrix(empty).translation, np.float64) - self.offset
            origin = self.space.to_file_int(location, empty.name)
            # At large distances 32-bit floats cannot represent all integers.
            tolerance = np.abs(location + self.offset).max() * _PRECISION
            if old is not None and np.abs(self.space.to_blender(old) - location).max() <= tolerance:
                origin = old
        else:
            first = camera.positions[0] - self.offset
            origin = self.space.to_file_int(first, self.collection.name) if old is None else old
            self.report.warn(
                self.collection.name, T("its origin was deleted; everything else keeps its position")
            )
        x, y, z = (int(value) * self.space.scale for value in origin)
        shift = Matrix.Translation((self.offset + np.array((x, z, -y))).tolist())
        angle = turn_angle(self.collection.tomb_raider.cutscene.quarter_turns)
        return _Base(origin, (shift @ Matrix.Rotation(angle, 4, "Z")).inverted())

    def _ahead(self, camera: Object, motion: ObjectMotion) -> ObjectMotion:
        """Return the target for a camera without one: a point straight ahead."""
        ahead, right = axes_of(motion.turns[:, 0])
        if (np.abs(right[:, 2]) > _MAX_ROLL).any():
            self.report.warn(camera.name, T("it is tilted sideways, which the games' cameras cannot be"))
        return ObjectMotion(motion.positions + ahead * _TARGET_DISTANCE * self.space.scale, motion.turns)

    # --- Actors

    def _actor(
        self, obj: Object, bones: ActorBones, motion: ObjectMotion, base: _Base, times: NDArray[np.int64]
    ) -> Actor:
        source = self._sources.get(obj)
        turns = motion.turns
        if len(bones.names):
            turn = np.array(base.inverse.to_quaternion()[:]).reshape(1, 1, 4)
            turns = turns.copy()
            turns[:, :1] = multiply(to_file_axes(turn), turns[:, :1])
        last = self.original.num_frames - 1 if self.original is not None else 0
        old = np.clip(times, 0, max(last, 0))  # the closest frames of the original
        nodes = len(bones.names) if source is None else source.rotations.shape[1]
        angles = np.zeros((len(times), nodes, 3), np.uint16)
        if source is not None:
            # Rotations without a bone in the scene are unchanged.
            angles[:] = angles_of(source)[old]
        count = min(nodes, len(bones.names))
        angles[:, :count] = angles_from_quaternions(
            turns[:, :count],
            ANGLE_BITS,
            hints=None if self.rebuild or source is None else angles[:, :count],
            subject=obj.name,
        )
        positions = base.positions(motion, self.space, obj.name)
        root = to_track(positions, ACTOR_SCALE, obj.name)
        if count:
            angles[:, :count] = closest_angles(
                angles[:, :count],
                turns[:, :count],
                bones.parents[:count],
                bones.offsets,
                root * float(ACTOR_SCALE) - positions,
                whole_limbs=source is None,  # others keep what was not edited
            )
        extra = turns[:, nodes:]
        # Additional bones need tracks only if they rotate.
        if source is not None and (np.abs(extra[..., 1:]) > 1e-3).any():
            angles = np.concatenate([angles, angles_from_quaternions(extra, ANGLE_BITS)], axis=1)
        if not len(bones.names) and source is not None:
            root = source.root[old]
        return Actor(self._slot(obj, source), root, angles // ANGLE_STEP)

    def _slot(self, obj: Object, source: Actor | None) -> int:
        """Return the id of an actor's model: the file's, unless the actor shows another model now."""
        settings = obj.tomb_raider.actor
        slot = settings.slot if settings.model is None else settings.model.tomb_raider.model.id
        if source is None or self.original is None:
            return int(slot)
        is_first = source is self.original.actors[0]
        # The games use the first actor as Lara, so its id in the file is arbitrary.
        same = slot == source.slot or (is_first and is_lara(obj))
        return source.slot if same else int(slot)

    # --- Report

    def _count(self, cutscene: Cutscene) -> None:
        """Count the differences from the original."""
        old = self.original
        name = self.collection.name
        if old is None:
            self.rebuilt.count(f"{name}, frames", cutscene.num_frames)
            return
        header = (cutscene.origin, cutscene.audio_track, [actor.slot for actor in cutscene.actors])
        changed = int(header != (old.origin, old.audio_track, [actor.slot for actor in old.actors]))
        changed += not np.array_equal(cutscene.camera, old.camera)
        changed += not np.array_equal(cutscene.target, old.target)
        for number, actor in enumerate(cutscene.actors):
            before = old.actors[number] if number < len(old.actors) else None
            if before is None or before.rotations.shape != actor.rotations.shape:
                changed += 1 + actor.rotations.shape[1]
                continue
            changed += not np.array_equal(actor.root, before.root)
            changed += int((actor.rotations != before.rotations).any(axis=(0, 2)).sum())
        changed += max(len(old.actors) - len(cutscene.actors), 0)
        self.rebuilt.count(f"{name}, tracks", changed)
