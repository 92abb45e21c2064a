"""Camera and target of a cutscene level (documentation, chapter 9.7; TR1 to TR3), with keys.

The file has a position, a target, a field of view and a roll for each frame, 30 per second. Positions are
relative to the cutscene's origin, which is not in the file: the game sets it, mostly to its first actor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, floor, tau
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Collection, FCurve, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import CINEMATIC_FRAME, LARA, TURN, T
from ...core.blender import compat
from ...core.context import ExportContext, ImportContext
from ...core.membership import home_of
from ...core.record_fields import take_over
from ...core.space import Space, angle_to_blender, checked, world_matrix
from ...core.stages import ENTITIES, ExportStage, ImportStage, Steps
from ...core.subjects import Kind
from ...mesh.poly_mesh import transformed
from ..animations.keys.curves import sample_curve
from ..cameras.camera_keys import animate, vector
from ..cameras.fixed import new_camera
from ..cameras.looking import fov_of_lens, lens_of_fov
from ..models.poses import multiply
from .sampling import ObjectMotion, evaluate
from .shots import aim_of, aims_at_target, axes_of, cameras_at, curve_paths_of, cuts_to, is_roll, rolls_of

_LIMIT = 0xFFFF  # frames
_AHEAD = 1024  # units: distance of the target of a camera that something else turns
_FARTHEST = 0x7FFF  # units from the origin
_TARGET_SIZE = 128  # units
_ORIGIN_SIZE = 512
_ROLL = "tomb_raider.cinematic.roll"
_SAME_PLACE = 0.05  # units
_SAME_LENS = 1e-5  # of a focal length
_ACTORS = {Game.TR1: 77, Game.TR2: 97, Game.TR3: 148}  # the first actor's type
# TR1 draws its first three actors at the origin, independent of their position.
_DRAWN_AT_ORIGIN = {Game.TR1: (77, 78, 79)}
# Constants of TR1 for its four cutscenes: the origin's x and z, and its angle.
_ORIGINS: dict[str, tuple[int | None, int | None, int]] = {
    "1": (36668, 63180, -23312),
    "2": (51962, 53760, 16380),
    "3": (None, None, 0x4000),
    "4": (None, None, 0x4000),
}

# --- Import ----------------------------------------


def import_cinematics(context: ImportContext) -> None:
    """Make the camera of the level's cutscene, if it has one, and show its actors at the game's position."""
    frames = context.level.cinematic_frames
    context.root.tomb_raider.imported |= {"CINEMATIC"}
    if not len(frames):
        return
    home = home_of(context.root, Kind.CAMERAS)
    origin = _import_origin(context, home)
    camera = make_cinematic(frames, context.space, home, origin)
    camera.tomb_raider.index = 0
    actors = _show_actors(context, home, origin)
    if actors and context.options.set_up_scene:
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 0, len(frames) - 1
        if scene.camera is None:
            scene.camera = camera


def _import_origin(context: ImportContext, home: Collection) -> Object:
    origin = bpy.data.objects.new("Cutscene Origin", None)
    origin.empty_display_type = "ARROWS"
    origin.empty_display_size = _ORIGIN_SIZE * context.space.scale
    position, angle = _origin(context)
    origin.location = context.space.to_blender(position).tolist()
    origin.rotation_euler.z = float(angle_to_blender(angle))
    home.objects.link(origin)
    return origin


def _origin(context: ImportContext) -> tuple[list[int], int]:
    """Return position and angle of the origin: those of the first actor, else of Lara."""
    level = context.level
    position, angle = [0, 0, 0], 0
    for number in (_ACTORS[level.game], LARA):
        rows = np.flatnonzero(level.entities["type"] == number)
        if len(rows):
            record = level.entities[rows[0]]
            position, angle = [int(record[axis]) for axis in "xyz"], int(record["angle"])
            break
    cutscene = re.search(r"cut([1-4])\.phd$", context.root.tomb_raider.source.lower())
    if cutscene and not level.game.traits.has_script:
        x, z, angle = _ORIGINS[cutscene[1]]
        position = [position[0] if x is None else x, position[1], position[2] if z is None else z]
    return position, angle


def _show_actors(context: ImportContext, home: Collection, origin: Object) -> int:
    """Show copies of actors that the game draws at the origin; return how many first actors there are."""
    count, game = 0, context.level.game
    for obj in ENTITIES.of(context):
        kind = obj.tomb_raider.entity.type
        count += kind == _ACTORS[game]
        if kind not in _DRAWN_AT_ORIGIN.get(game, ()) or obj.instance_collection is None:
            continue
        same_turn = abs(obj.rotation_euler.z - origin.rotation_euler.z) < 1e-4
        if same_turn and (obj.location - origin.location).length < _SAME_PLACE * context.space.scale:
            continue
        copy = bpy.data.objects.new(f"{obj.name} on Stage", None)
        copy.instance_type, copy.instance_collection = "COLLECTION", obj.instance_collection
        copy.empty_display_size = obj.empty_display_size
        copy.parent = origin
        home.objects.link(copy)
        obj.hide_viewport = obj.hide_render = True
    return count


def is_on_stage(obj: Object) -> bool:
    """Return whether an instance shows an entity at the origin of a cutscene, where the game draws it."""
    parent = obj.parent
    if parent is None or obj.instance_type != "COLLECTION" or obj.tomb_raider.kind != "NONE":
        return False
    return any(child.tomb_raider.kind == Kind.CINEMATIC for child in parent.children)


def make_cinematic(
    frames: NDArray[np.void], space: Space, home: Collection, origin: Object | None = None
) -> Object:
    """Make a camera with a target and a key for each frame, and return it."""
    target = bpy.data.objects.new("Cutscene Target", None)
    target.empty_display_type = "SPHERE"
    target.empty_display_size = _TARGET_SIZE * space.scale
    data = new_camera("Cutscene Camera", int(frames[0]["fov"]), space.scale)
    camera = bpy.data.objects.new("Cutscene Camera", data)
    camera.parent = target.parent = origin
    for obj in (camera, target):
        home.objects.link(obj)
    camera.tomb_raider.kind, target.tomb_raider.kind = Kind.CINEMATIC, Kind.CINEMATIC_TARGET
    camera.tomb_raider.cinematic.target = target
    _aim(camera, target)
    positions, targets = space.to_blender(frames["position"]), space.to_blender(frames["target"])
    # In Blender roll has the opposite sign.
    rolls = frames["roll"].astype(np.float64) * (-tau / TURN)
    lenses = lens_of_fov(frames["fov"], data.sensor_width)
    maker = compat.CurveMaker()
    try:
        animate(maker, camera, [*vector("location", positions), (_ROLL, 0, rolls)])
        animate(maker, target, vector("location", targets))
        animate(maker, data, [("lens", 0, lenses)])
    finally:
        maker.close()
    camera.location, target.location = positions[0].tolist(), targets[0].tolist()
    camera.tomb_raider.cinematic.roll, data.lens = float(rolls[0]), float(lenses[0])
    return camera


def copy_cinematic(camera: Object, home: Collection) -> tuple[Object, Object]:
    """Make another camera for a cutscene level, with a target, as the first one is now; without keys."""
    data = camera.data.copy()
    data.animation_data_clear()
    copy = bpy.data.objects.new(camera.name, data)
    target = bpy.data.objects.new("Cutscene Target", None)
    target.empty_display_type, target.empty_display_size = "SPHERE", data.display_size
    for obj in (copy, target):
        obj.parent = camera.parent
        home.objects.link(obj)
    copy.tomb_raider.kind, target.tomb_raider.kind = Kind.CINEMATIC, Kind.CINEMATIC_TARGET
    copy.tomb_raider.cinematic.target = target
    _aim(copy, target)
    return copy, target


def _aim(camera: Object, target: Object) -> None:
    """Add constraints that point a camera at its target and roll it by its property."""
    track: Any = camera.constraints.new("TRACK_TO")
    track.target, track.track_axis, track.up_axis = target, "TRACK_NEGATIVE_Z", "UP_Y"
    roll: Any = camera.constraints.new("TRANSFORM")
    roll.name, roll.target, roll.map_to, roll.mix_mode_rot = "Roll", target, "ROTATION", "AFTER"
    roll.target_space, roll.owner_space = "LOCAL", "WORLD"
    for end in ("to_min_z_rot", "to_max_z_rot"):
        driver = roll.driver_add(end).driver
        driver.type = "SUM"
        variable = driver.variables.new()
        variable.type = "SINGLE_PROP"
        variable.targets[0].id, variable.targets[0].data_path = camera, _ROLL


# --- Export ----------------------------------------


def export_cinematics(context: ExportContext) -> None:
    """Write the frames of the level's cutscene, as many as the action of its camera has.

    Raises:
        ExportError: if there are too many, or something is too far from the origin, or the camera has no
            target.
    """
    cameras = [obj for obj, _ in context.objects(Kind.CINEMATIC)]
    cameras.sort(key=lambda obj: not _has_range(obj))
    original = context.original.cinematic_frames
    records = np.zeros(0, CINEMATIC_FRAME)
    if cameras:
        scene: Any = bpy.context.scene
        camera, cuts = cameras[0], cuts_to(scene, cameras)
        if len(cameras) > 1 and not cuts:
            text = T(
                "a level has only one cutscene: {camera} is exported, {cameras} is not",
                camera=camera.name,
                cameras=cameras[1].name,
            )
            context.report.warn(camera.name, text)
        records = _read_shots(cuts or [(0, camera)], camera, context, original)
    context.level.cinematic_frames = take_over(context, "cinematic_frames", original, records)


def _has_range(camera: Object) -> bool:
    action = _action(camera)
    return action is not None and action.use_frame_range


def _read_shots(
    cuts: Sequence[tuple[int, Object]], first: Object, context: ExportContext, original: NDArray[np.void]
) -> NDArray[np.void]:
    """Return the frames of a cutscene, each as the camera shows it; the first one has its length."""
    times = _times(first, _target(first))
    shown = cameras_at(cuts, times)
    records = np.zeros(len(times), CINEMATIC_FRAME)
    for camera in dict.fromkeys(shown):
        rows = np.array([each == camera for each in shown], bool)
        part = original if rows.all() else original[: len(rows)][rows[: len(original)]]
        records[rows] = _read_frames(camera, times[rows], context, part)
    return records


def _target(camera: Object) -> Object:
    target: Object | None = camera.tomb_raider.cinematic.target
    if target is None:
        raise ExportError(camera.name, T("it has no target to look at: choose one in its panel"))
    return target


def _read_frames(
    camera: Object, times: NDArray[np.float64], context: ExportContext, original: NDArray[np.void]
) -> NDArray[np.void]:
    """Return what a camera shows at some frames; ``original`` has the file's records of these, if any."""
    space, target = context.space, _target(camera)
    if camera.type != "CAMERA":
        raise ExportError(camera.name, T("it is no longer a camera"))
    seen = _evaluated([each for each in (camera, target) if _moves_otherwise(each)], times, context)
    places = {
        each: seen[each].positions if each in seen else _positions(each, times) for each in (camera, target)
    }
    curves = _Curves(camera)
    rolls = curves.values(_ROLL, 0, camera.tomb_raider.cinematic.roll, times)
    if camera in seen and aim_of(camera) is None:
        turns = seen[camera].turns[:, 0]
        places[target] = places[camera] + axes_of(turns)[0] * _AHEAD * space.scale
        rolls = rolls_of(turns)
    records = np.zeros(len(times), CINEMATIC_FRAME)
    for field, obj in (("position", camera), ("target", target)):
        records[field] = _units(obj, space.to_file(places[obj], obj.name), times)
    rolls = checked(np.rint(rolls * (-TURN / tau)), camera.name, "its roll")
    records["roll"] = rolls.astype(np.int64).astype(np.int16)  # wraps around
    records["fov"] = _fovs(camera, times, original)
    return records


def _moves_otherwise(obj: Object) -> bool:
    """Return whether more than keys of its location and roll moves a camera or a target."""
    data: Any = obj.animation_data
    drivers = () if data is None else data.drivers
    if any(not curve.data_path.startswith('constraints["Roll"]') for curve in drivers):
        return True
    if data is not None and any(not track.mute and len(track.strips) for track in data.nla_tracks):
        return True
    if not curve_paths_of(obj) <= {"location", _ROLL}:
        return True
    return any(not (each.mute or is_roll(each) or aims_at_target(each)) for each in obj.constraints)


def _evaluated(
    objects: list[Object], times: NDArray[np.float64], context: ExportContext
) -> dict[Object, ObjectMotion]:
    """Return the motions of objects as Blender evaluates them, relative to their parents."""
    shown = [obj for obj in objects if obj.visible_get()]
    for obj in objects:
        if obj not in shown:
            reason = T("the effect of constraints")
            text = T("{reason} is not exported while it is hidden: show it and export again", reason=reason)
            context.report.warn(obj.name, text)
    found = evaluate(shown, {}, times.astype(np.int64)) if shown else {}
    result: dict[Object, ObjectMotion] = {}
    for obj, motion in found.items():
        above = Matrix() if obj.parent is None else world_matrix(obj.parent).inverted()
        turn = np.array(above.to_quaternion()[:]).reshape(1, 1, 4)
        result[obj] = ObjectMotion(transformed(motion.positions, above), multiply(turn, motion.turns))
    return result


def _times(camera: Object, target: Object) -> NDArray[np.float64]:
    """Return the frames to export: those of the camera's action."""
    users = (camera, target, camera.data)
    actions = [action for action in map(_action, users) if action is not None]
    ranges: list[tuple[float, float]] = [
        (action.frame_start, action.frame_end) for action in actions if action.use_frame_range
    ]
    if not ranges and actions:
        starts, ends = zip(*(action.frame_range[:] for action in actions), strict=True)
        ranges = [(min(starts), max(ends))]
    start, end = ranges[0] if ranges else (0, 0)
    first, last = ceil(start - 1e-3), floor(end + 1e-3)
    count = last - first + 1
    if count > _LIMIT:
        raise ExportError(camera.name, T("its cutscene has too many frames"), count=count, limit=_LIMIT)
    return np.arange(first, last + 1, dtype=np.float64)


def _action(user: Any) -> Action | None:
    data = user.animation_data
    return None if data is None else data.action


class _Curves:
    """The curves of a data-block's action."""

    def __init__(self, user: object) -> None:
        action = _action(user)
        channels = None if action is None else compat.find_channels(action, user)
        self._curves: dict[tuple[str, int], FCurve] = {}
        for curve in () if channels is None else channels.fcurves:
            if not curve.mute and len(curve.keyframe_points):
                self._curves[curve.data_path, curve.array_index] = curve

    def has(self, path: str) -> bool:
        """Return whether a property has a curve."""
        return (path, 0) in self._curves

    def values(self, path: str, index: int, still: float, times: NDArray[np.float64]) -> NDArray[Any]:
        """Return the values at some times; ``still`` without a curve."""
        curve = self._curves.get((path, index))
        return np.full(len(times), still, np.float64) if curve is None else sample_curve(curve, times)


def _positions(obj: Object, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions of an object relative to its parent, (n, 3)."""
    curves = _Curves(obj)
    positions = np.stack(
        [curves.values("location", axis, obj.location[axis], times) for axis in range(3)], axis=1
    )
    if obj.parent is None:
        return positions
    return transformed(positions, obj.matrix_parent_inverse)


def _units(obj: Object, positions: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    units = np.rint(positions)
    fits = (units >= -_FARTHEST - 1) & (units <= _FARTHEST)
    if not fits.all():
        row = int(np.flatnonzero(~fits.all(axis=1))[0])
        worst = np.nan_to_num(np.abs(units[row]), nan=np.inf).max()
        problem = T("at frame {frame}, it is too far from the cutscene's origin", frame=int(times[row]))
        count = int(worst) if np.isfinite(worst) else None
        raise ExportError(obj.name, problem, count=count, limit=_FARTHEST)
    return units


def _fovs(camera: Object, times: NDArray[np.float64], original: NDArray[np.void]) -> NDArray[np.int16]:
    """Return fields of view; unchanged ones are the original's."""
    data = camera.data
    curves = _Curves(data)
    sensor = data.sensor_width
    if curves.has("angle"):  # keyed while Blender displayed angles
        lenses = sensor / 2 / np.tan(curves.values("angle", 0, data.angle, times) / 2)
    else:
        lenses = curves.values("lens", 0, data.lens, times)
    checked(lenses, camera.name, T("its field of view"))
    result = np.clip(np.rint(fov_of_lens(lenses, sensor)), 0, _FARTHEST).astype(np.int16)
    shared = min(len(result), len(original))
    before = original["fov"][:shared]
    expected = lens_of_fov(before, sensor)
    same = np.abs(lenses[:shared] - expected) <= _SAME_LENS * expected
    # Fields of view outside Blender's range are displayed clamped.
    clipped = same & (result[:shared] != before)
    result[:shared][clipped] = before[clipped]
    return result


STEPS = Steps({ImportStage.LAST: import_cinematics}, {ExportStage.REFERENCES: export_cinematics})
