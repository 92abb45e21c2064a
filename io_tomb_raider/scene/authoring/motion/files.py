"""Files with motions, read by Blender's own importers into a scene of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from mathutils import Matrix

from ....formats import ExportError
from ....formats.base import Floats, T
from ...core.space import world_matrix
from ...subjects.animations.keys.curves import stretch_keys
from .bodies import turn_upright
from .sampling import TICKS, actions_played, frame_rate

SUFFIXES = (".bvh", ".fbx", ".glb", ".gltf")

_KINDS = (
    "actions",
    "armatures",
    "cameras",
    "collections",
    "images",
    "lights",
    "materials",
    "meshes",
    "objects",
)


class _Importer(NamedTuple):
    """An importer of Blender."""

    #: group, name: of its operator.
    group: str
    name: str
    addon: str  #: the add-on that it belongs to, as the preferences call it, "" for Blender's own.
    settings: dict[str, Any]  #: of the operator.

    def operator(self) -> Callable[..., Any] | None:
        group = getattr(bpy.ops, self.group)
        return getattr(group, self.name) if self.name in dir(group) else None


_BVH = _Importer(
    "import_anim",
    "bvh",
    "BioVision Motion Capture (BVH) format",
    {"update_scene_fps": True, "update_scene_duration": True, "use_fps_scale": False},
)
_FIRST_FRAME = 1.0  # of Blender's importers: it stays
_GLTF = _Importer("import_scene", "gltf", "glTF 2.0 format", {})
_IMPORTERS: dict[str, tuple[_Importer, ...]] = {
    ".bvh": (_BVH,),
    # Blender's newer importer first, which is no add-on.
    ".fbx": (
        _Importer("wm", "fbx_import", "", {}),
        _Importer("import_scene", "fbx", "FBX format", {"ignore_leaf_bones": True}),
    ),
    ".glb": (_GLTF,),
    ".gltf": (_GLTF,),
}


@dataclass(eq=False)
class MotionFile:
    """The content of a file with motions."""

    armature: Object  #: the skeleton.
    actions: list[Action]  #: its motions.
    rate: float  #: frames per second of the actions.
    #: the scene that gets the armature and its animations at the end, None to remove them.
    kept_in: Scene | None = None
    #: the direction that is up in the motion, (3,), if known: a kept armature is turned upright.
    up: Floats | None = None


@contextmanager
def read_motions(path: Path) -> Iterator[MotionFile]:
    """Read a file into a scene of its own, and yield what it holds.

    At the end all of it is removed, except what :attr:`MotionFile.kept_in` keeps.

    Args:
        path: a BVH, FBX or glTF file.

    Raises:
        ExportError: if the file cannot be read, or has no armature with an animation.
    """
    before = {kind: set(getattr(bpy.data, kind)) for kind in _KINDS}
    window, shown = bpy.context.window, bpy.context.scene
    scene = bpy.data.scenes.new("Motion")
    scene.render.fps, scene.render.fps_base = TICKS, 1.0
    found: MotionFile | None = None
    try:
        if window is not None:
            window.scene = scene
        _import(path, scene)
        found = _found_in(scene, path)
        yield found
    finally:
        kept = set() if found is None else _keep(found)
        if window is not None and shown is not None:
            window.scene = shown
        new = [each for kind in _KINDS for each in getattr(bpy.data, kind) if each not in before[kind]]
        # Without a window, as in timers, scenes.remove() crashes Blender 4.2.
        bpy.data.batch_remove([scene, *(each for each in new if each not in kept and _is_foreign(each))])


def _keep(found: MotionFile) -> set[Any]:
    """Link a skeleton to the scene that keeps it, upright, with the frames that this plays in its time.

    Returns:
        All data-blocks that are kept.
    """
    if found.kept_in is None:
        return set()
    armature = found.armature
    factor = Fraction(frame_rate(found.kept_in) / found.rate).limit_denominator(1000)
    for action in found.actions:
        action.use_fake_user = not action.users  # of several, the armature may use one only
        if factor != 1:
            stretch_keys(action, armature, factor, _FIRST_FRAME)
    found.kept_in.collection.objects.link(armature)
    place = world_matrix(armature)
    armature.parent = None
    turn = np.eye(3) if found.up is None else turn_upright(found.up)
    armature.matrix_world = Matrix(turn.tolist()).to_4x4() @ place
    return {armature, armature.data, *found.actions}


def _is_foreign(block: Any) -> bool:
    """Return whether a new data-block is of the file, not of a level: those made within the context."""
    return not (isinstance(block, Action) and block.tomb_raider.model is not None)


def _import(path: Path, scene: Scene) -> None:
    importers = _IMPORTERS.get(path.suffix.lower())
    if importers is None:
        raise ExportError(
            path.name, T("motions are read from these files: {suffixes}", suffixes=", ".join(SUFFIXES))
        )
    if not path.is_file():
        raise ExportError(path.name, T("there is no such file"))
    usable = [each for each in importers if each.operator() is not None]
    if not usable:
        addon = importers[-1].addon
        raise ExportError(
            path.name, T("enable the add-on {addon} in Edit > Preferences > Add-ons first", addon=addon)
        )
    operator = usable[0].operator()
    assert operator is not None
    try:
        with bpy.context.temp_override(
            scene=scene, view_layer=scene.view_layers[0], collection=scene.collection
        ):
            outcome = operator(filepath=str(path), **usable[0].settings)
    except (RuntimeError, ValueError, IndexError, KeyError, TypeError) as error:  # of damaged files
        text = str(error).strip().removeprefix("Error: ").splitlines()[-1:] or [T("it is damaged")]
        raise ExportError(path.name, T("Blender cannot read it: {text}", text=text[0])) from error
    if "FINISHED" not in outcome:
        raise ExportError(path.name, T("Blender cannot read it"))


def _found_in(scene: Scene, path: Path) -> MotionFile:
    armatures = [each for each in scene.objects if each.type == "ARMATURE"]
    if not armatures:
        raise ExportError(path.name, T("it has no skeleton"))
    armature = max(armatures, key=lambda each: (len(actions_played(each)) > 0, len(each.data.bones)))
    actions = actions_played(armature)
    if not actions:
        raise ExportError(path.name, T("its skeleton has no animation"))
    return MotionFile(armature, actions, frame_rate(scene))
