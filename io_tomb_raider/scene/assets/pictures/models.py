"""Pictures of a level's models, as entities show them, on a transparent background."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import bpy
from bpy.types import Collection

from ....catalogue import names
from ....formats import ExportError, Game
from ....formats.base import T
from ...subjects.entities.shown import shown_models
from .studio import AT_MODELS, look, shown_points, stage, studio

SIZE = 512, 512  # pixels


def render_models(root: Collection, folder: Path, wanted: Sequence[str] = ()) -> list[Path]:
    """Render models of a level, each into a PNG file named after its number and name.

    Args:
        wanted: parts of names, or ids, of the models; by default all.

    Raises:
        ExportError: if there is no model for one of the names.
        OSError: if the folder or a file cannot be written.
    """
    models = _selected(root, wanted)
    folder.mkdir(parents=True, exist_ok=True)
    result = []
    with stage() as scene, studio(scene, [], SIZE) as camera:
        for number, name, model in models:
            instance = bpy.data.objects.new("Picture", None)
            scene.collection.objects.link(instance)
            instance.instance_type, instance.instance_collection = "COLLECTION", model
            points = shown_points(scene)
            if len(points):
                look(scene, camera, AT_MODELS, points)
                label = re.sub(r"[^\w-]+", "_", name, flags=re.ASCII).strip("_")
                path = folder / f"model_{number:03}_{label}.png"
                scene.render.filepath = str(path)
                bpy.ops.render.render(write_still=True, scene=scene.name)
                result.append(path)
            bpy.data.objects.remove(instance)
    return result


def _selected(root: Collection, wanted: Sequence[str]) -> list[tuple[int, str, Collection]]:
    catalogue = names(Game[root.tomb_raider.game])
    models = [(number, catalogue.entity(number), each) for number, each in sorted(shown_models(root).items())]
    result = []
    for text in wanted:
        if text.isdecimal():
            matches = [each for each in models if each[0] == int(text)]
        else:
            matches = [each for each in models if text.lower() in each[1].lower()]
        if not matches:
            raise ExportError(root.name, T("it has no model with the name or id {text!r}", text=text))
        result += [each for each in matches if each not in result]
    return result if wanted else models
