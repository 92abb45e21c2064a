"""The same scene in glTF: export and import with Blender's bundled add-on."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

import addon_utils
import bpy
from bpy.types import LayerCollection

from io_tomb_raider.scene.pipeline.importer import import_level

from .recording import record_scene
from .scenes import empty_file
from .timing import Times, stopwatch


def measure_gltf(path: Path, runs: int) -> dict[str, Any]:
    """Measure glTF's import of a level's scene, compared with our import of the level.

    The exporter writes visible objects, so the libraries of models and static meshes are shown first. glTF
    has no instances of collections, so each entity is written with its model, but meshes are shared.

    Returns:
        ``times``: medians in seconds: ``import`` and ``gltf``. ``export``: seconds of the one export.
            ``bytes``: the size of the file. ``counts``, ``gltf_counts``: the contents of the scenes.
    """
    times = Times()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        target = Path(folder) / "level.glb"
        empty_file()
        addon_utils.enable("io_scene_gltf2")
        import_level(path)
        counts = record_scene().counts()
        seconds, _ = stopwatch(lambda: _export(target))
        gltf_counts: dict[str, int] = {}
        for _ in range(runs):
            empty_file()
            times.take("import", lambda: import_level(path))
            empty_file()
            times.take("gltf", lambda: bpy.ops.import_scene.gltf(filepath=str(target)))
            gltf_counts = _counts()
        return {
            "times": times.medians(),
            "export": seconds,
            "bytes": target.stat().st_size,
            "counts": counts,
            "gltf_counts": gltf_counts,
        }


def _export(target: Path) -> None:
    _show_all(bpy.context.view_layer.layer_collection)
    bpy.context.view_layer.update()
    _make_tracks()
    wanted = {
        "filepath": str(target),
        "export_format": "GLB",
        "export_animation_mode": "NLA_TRACKS",
        "export_force_sampling": False,
        "export_optimize_animation_size": False,
        "export_lights": True,
        "export_vertex_color": "ACTIVE",
    }
    export: Any = bpy.ops.export_scene.gltf
    known = export.get_rna_type().properties.keys()
    export(**{name: value for name, value in wanted.items() if name in known})


def _make_tracks() -> None:
    """Add every action to a track of its armature: the exporter ignores other actions."""
    for action in bpy.data.actions:
        armature = action.tomb_raider.model
        if armature is None:
            continue
        data = armature.animation_data_create()
        track = data.nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, 0, action)
        if hasattr(strip, "action_slot") and strip.action_slot is None:
            strip.action_slot = action.slots[0]
        data.action = None


def _show_all(layer: LayerCollection) -> None:
    for child in layer.children:
        child.exclude = child.hide_viewport = False
        _show_all(child)


def _counts() -> dict[str, int]:
    kinds = ("meshes", "materials", "images", "armatures", "objects", "actions")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}
