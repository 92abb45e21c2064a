"""The way back of cutscenes: what moves in a cutscene's collection, frame by frame, as the file has it.

Everything is read as it stands in the scene's world, so that it makes no difference to the game by which
parent or constraint an object got there. An angle that makes the same rotation as the original's stays as it
was; so tracks that nobody edited keep their bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.animations.rotations import angles_from_quaternions
from ....formats.cutscenes.cutscenes import (
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
from ...core.members import levels, members_of
from ...core.order import ordered
from ...core.report import Report
from ...core.results import Rebuilt
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.poly_mesh import transformed
from ..models.poses import multiply
from .actors import ActorBones, is_lara
from .build import angles_of, original_cutscene, turned
from .sampling import Motion, sample, to_file_axes

_AHEAD = 1024  # units: how far a camera looks that has no target
_SAME_PLACE = 1e-5  # of the distance from the world's origin: what 32-bit floats lose
_ROLLED = 0.02  # how far a camera without a target may lean


class ExportedCutscene(NamedTuple):
    """The result of an export of a cutscene.

    Attributes:
        content: the bytes that a file of cutscenes has for it.
        report: the warnings.
        rebuilt: counts what differs from the original.
    """

    content: bytes
    report: Report
    rebuilt: Rebuilt


def export_cutscene(collection: Collection, scale: float, *, rebuild: bool = False) -> ExportedCutscene:
    """Turn a cutscene's collection into the bytes that a file of cutscenes has for it.

    Args:
        collection: of the cutscene.
        scale: of the level.
        rebuild: make everything again from the scene, also what was not edited.

    Raises:
        ExportError: where the scene holds what the games cannot.
        FormatError: where the original that the collection carries is damaged.
    """
    export = _CutsceneExport(collection, Space(scale), rebuild)
    return ExportedCutscene(export.run().to_bytes(), export.report, export.rebuilt)


@dataclass(frozen=True, eq=False)
class _Base:
    """The axes that the tracks of a cutscene count in.

    Attributes:
        origin: (3,) int64, in the file's units.
        inverse: from Blender's world to the origin, turned as the game turns the cutscene.
    """

    origin: NDArray[np.int64]
    inverse: Matrix

    def places(self, motion: Motion, space: Space, subject: str) -> NDArray[np.float64]:
        """Return where something of this name is relative to the origin, (n, 3) in the file's units."""
        return space.to_file(transformed(motion.places, self.inverse), subject)


class _CutsceneExport:
    """One export of a cutscene."""

    def __init__(self, collection: Collection, space: Space, rebuild: bool) -> None:
        self.collection = collection
        self.space = space
        self.rebuild = rebuild
        home = next((each for each in levels() if collection in each.children_recursive), None)
        self.offset = np.array((0.0, 0.0, 0.0) if home is None else home.tomb_raider.offset, np.float64)
        self.report, self.rebuilt = Report(), Rebuilt()
        self.original = original_cutscene(collection)
        self._sources = self._original_actors()

    def run(self) -> Cutscene:
        actors, bones = self._actors()
        camera, target = self._one(Kind.CUTSCENE_CAMERA), self._one(Kind.CUTSCENE_TARGET)
        if camera is None:
            raise ExportError(self.collection.name, "it has no camera")
        times = self._times([obj for obj in (camera, target, *actors) if obj is not None])
        objects = [camera, *([target] if target is not None else []), *actors]
        motions = sample(objects, bones, times, self.space, self.report)
        base = self._base(motions[camera])
        seen = motions[target] if target is not None else self._ahead(camera, motions[camera])
        seen_track, camera_track = (
            to_track(base.places(motion, self.space, obj.name), CAMERA_SCALE, obj.name)
            for motion, obj in ((seen, target or camera), (motions[camera], camera))
        )
        made = Cutscene(
            self._origin(base),
            self.collection.tomb_raider.cutscene.audio_track,
            seen_track,
            camera_track,
            actors=[self._actor(obj, bones[obj], motions[obj], base, times) for obj in actors],
            source=self.original.source if self.original is not None and not self.rebuild else None,
        )
        self._count(made)
        return made

    # --- What there is

    def _objects(self, kind: str) -> list[tuple[Object, int]]:
        return ordered(members_of(self.collection, kind))

    def _one(self, kind: str) -> Object | None:
        """Return the one object of a kind, None where there is none."""
        found = [obj for obj, _ in self._objects(kind)]
        if len(found) > 1:
            names = " and ".join(obj.name for obj in found[:2])
            raise ExportError(self.collection.name, f"it can have one of these only: {names}")
        return found[0] if found else None

    def _original_actors(self) -> dict[Object, Actor]:
        """Return what actors were imported from."""
        known = self.original.actors if self.original is not None else []
        return {
            obj: known[index] for obj, index in self._objects(Kind.CUTSCENE_ACTOR) if 0 <= index < len(known)
        }

    def _actors(self) -> tuple[list[Object], dict[Object, ActorBones]]:
        found: list[Object] = []
        for obj, _ in self._objects(Kind.CUTSCENE_ACTOR):
            if obj.type != "ARMATURE":
                raise ExportError(obj.name, "an actor has to be an armature")
            found.append(obj)
        if found and not self._is_first(found[0]):
            found.sort(key=lambda obj: not is_lara(obj))
        if found and not self._is_first(found[0]):
            # The games pose Lara by the first actor, whoever that is.
            problem = f"the first actor of a cutscene is Lara, with {LARA_NODES} meshes, in the game"
            raise ExportError(found[0].name, problem)
        nodes = {obj: source.rotations.shape[1] for obj, source in self._sources.items()}
        return found, {obj: ActorBones.of(obj, self.space, nodes.get(obj)) for obj in found}

    def _is_first(self, obj: Object) -> bool:
        """Tell whether an actor can be the first: that of the original, or Lara."""
        source = self._sources.get(obj)
        return is_lara(obj) or (
            source is not None and self.original is not None and source is self.original.actors[0]
        )

    # --- When

    def _times(self, objects: list[Object]) -> NDArray[np.int64]:
        """Return the frames of the scene that are written.

        The frame range of an action that was set by hand says so, before all others the camera's. Else keys
        that reach further than those that were imported make the cutscene longer.
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
                text = f"the frame ranges of its actions differ: frames {start:g} to {end:g} are written"
                self.report.warn(self.collection.name, text)
        else:
            ranges = [action.curve_frame_range[:] for action in actions.values()]
            end = max([*(each[1] for each in ranges), imported - 1])
            start = 0 if imported else min((each[0] for each in ranges), default=0)
        count = round(end) - round(start) + 1
        if count < 1:
            raise ExportError(
                self.collection.name, "has no frames: set the frame range of its camera's action"
            )
        if count > MOST_FRAMES:
            raise ExportError(self.collection.name, "has too many frames", count=count, limit=MOST_FRAMES)
        return round(start) + np.arange(count)

    def _old(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which frame of the original each frame is most like."""
        last = self.original.num_frames - 1 if self.original is not None else 0
        return np.clip(times, 0, max(last, 0))

    # --- Where

    def _base(self, camera: Motion) -> _Base:
        """Find the origin: that of the file, unless its empty has been moved; without one where it was."""
        empty = self._one(Kind.CUTSCENE_ORIGIN)
        old = None if self.original is None else np.array(self.original.origin, np.int64)
        if empty is not None:
            place = np.array(world_matrix(empty).translation, np.float64) - self.offset
            origin = self.space.to_file_int(place, empty.name)
            # Far away 32-bit floats do not tell all integers apart.
            tolerance = np.abs(place + self.offset).max() * _SAME_PLACE
            if old is not None and np.abs(self.space.to_blender(old) - place).max() <= tolerance:
                origin = old
        else:
            first = camera.places[0] - self.offset
            origin = self.space.to_file_int(first, self.collection.name) if old is None else old
            self.report.warn(self.collection.name, "its origin is gone; all else stays where it stands")
        shift = Matrix.Translation((self.offset + _blender_place(origin, self.space)).tolist())
        angle = turned(self.collection.tomb_raider.cutscene.quarter_turns)
        return _Base(origin, (shift @ Matrix.Rotation(angle, 4, "Z")).inverted())

    def _origin(self, base: _Base) -> tuple[int, int, int]:
        x, y, z = base.origin.tolist()
        return x, y, z

    def _ahead(self, camera: Object, motion: Motion) -> Motion:
        """Return what a camera without a target looks at: a point straight ahead of it."""
        w, x, y, z = motion.turns[:, 0].T
        ahead = -np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
        if (np.abs(2 * (x * z - w * y)) > _ROLLED).any():
            self.report.warn(camera.name, "it leans to a side, which the games' cameras do not")
        return Motion(motion.places + ahead * _AHEAD * self.space.scale, motion.turns)

    # --- Actors

    def _actor(
        self, obj: Object, bones: ActorBones, motion: Motion, base: _Base, times: NDArray[np.int64]
    ) -> Actor:
        source = self._sources.get(obj)
        turns = motion.turns
        if len(bones.names):
            turn = np.array(base.inverse.to_quaternion()[:]).reshape(1, 1, 4)
            turns = turns.copy()
            turns[:, :1] = multiply(to_file_axes(turn), turns[:, :1])
        old = self._old(times)
        nodes = len(bones.names) if source is None else source.rotations.shape[1]
        angles = np.zeros((len(times), nodes, 3), np.uint16)
        if source is not None:
            # What the scene has no bones for goes on as it was.
            angles[:] = angles_of(source)[old]
        count = min(nodes, len(bones.names))
        angles[:, :count] = angles_from_quaternions(
            turns[:, :count],
            ANGLE_BITS,
            hints=None if self.rebuild or source is None else angles[:, :count],
            subject=obj.name,
        )
        if source is not None and len(bones.names) > nodes and self._moves(obj, turns[:, nodes:]):
            angles = np.concatenate([angles, angles_from_quaternions(turns[:, nodes:], ANGLE_BITS)], axis=1)
        places = base.places(motion, self.space, obj.name)
        root = to_track(places, ACTOR_SCALE, obj.name)
        if not len(bones.names) and source is not None:
            root = source.root[old]
        return Actor(self._slot(obj, source), root, angles // ANGLE_STEP)

    def _moves(self, obj: Object, turns: NDArray[np.float64]) -> bool:
        """Tell whether any of some bones is turned, so that the cutscene needs more tracks than it had."""
        return bool((np.abs(turns[..., 1:]) > 1e-3).any())

    def _slot(self, obj: Object, source: Actor | None) -> int:
        """Return the id of an actor's model: the file's, unless the actor shows another model now."""
        settings = obj.tomb_raider.actor
        shown = settings.slot if settings.model is None else settings.model.tomb_raider.model.id
        if source is None or self.original is None:
            return int(shown)
        is_first = source is self.original.actors[0]
        # Of the first actor, whom the games take for Lara, the file may say anything.
        same = shown == source.slot or (is_first and is_lara(obj))
        return source.slot if same else int(shown)

    # --- What there is to say

    def _count(self, made: Cutscene) -> None:
        """Note how much differs from the original."""
        old = self.original
        name = self.collection.name
        if old is None:
            self.rebuilt.count(f"{name}, frames", made.num_frames)
            return
        header = (made.origin, made.audio_track, [actor.slot for actor in made.actors])
        changed = int(header != (old.origin, old.audio_track, [actor.slot for actor in old.actors]))
        changed += sum(
            not np.array_equal(*tracks) for tracks in ((made.camera, old.camera), (made.target, old.target))
        )
        for number, actor in enumerate(made.actors):
            before = old.actors[number] if number < len(old.actors) else None
            if before is None or before.rotations.shape != actor.rotations.shape:
                changed += 1 + actor.rotations.shape[1]
                continue
            changed += int(not np.array_equal(actor.root, before.root))
            changed += int((actor.rotations != before.rotations).any(axis=(0, 2)).sum())
        changed += max(len(old.actors) - len(made.actors), 0)
        self.rebuilt.count(f"{name}, tracks", changed)


def _blender_place(origin: NDArray[np.int64], space: Space) -> tuple[float, float, float]:
    x, y, z = (int(value) * space.scale for value in origin)
    return x, z, -y
