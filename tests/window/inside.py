"""Server in the tested Blender: answers questions about its state, sent as files in a folder.

`blender --python FILE -- FOLDER [fine]`. A question is `question.json`: an object with `number`, `ask`,
and its arguments. The answer is written to `answer.json`. Only the questions of `QUESTIONS` are allowed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Area, Object, Region, Window
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_origin_3d
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from io_tomb_raider.ui.translations.dictionary import read_texts
from tests.window import posing
from tests.window.lettering import find_words, read_picture, texts_in
from tests.window.reading import animations_of_file, cutscenes_of_file, objects_of_file, rooms_of_file

_EVERY = 0.1
# Meters: collision is drawn less than this in front of the room's faces.
_NEAR = 0.2
_TRANSLATIONS = Path(__file__).resolve().parent.parent.parent / "io_tomb_raider" / "ui" / "translations"
_ALIKE = 0.8  # of letters, from which on texts look the same, such as Cameras and Caméras
_SHORTEST, _LONGEST = 6, 32  # letters of texts that are looked for among thousands
Place = tuple[int, int]
FINE = "fine"  # as argument: pictures as beautiful as Blender can


# ---------------------------------------------------------------- positions


def _main() -> Window:
    return bpy.context.window_manager.windows[0]


def _frame(window: Window, part: Area | Region, height: int) -> dict[str, Any]:
    """Return a rectangle in screen coordinates, from the top left."""
    top = height - (window.y + part.y + part.height)
    return {"type": part.type, "x": window.x + part.x, "y": top, "width": part.width, "height": part.height}


def areas(height: int) -> list[dict[str, Any]]:
    """Return the areas of all windows with their regions, as rectangles on a screen of the given height."""
    found = []
    for number, window in enumerate(bpy.context.window_manager.windows):
        for area in window.screen.areas:
            regions = [_frame(window, each, height) for each in area.regions if each.width > 1]
            found.append(
                {**_frame(window, area, height), "window": number, "ui": area.ui_type, "regions": regions}
            )
    return found


def words(
    picture: str, width: int, height: int, text: str, part: list[int] | None = None
) -> list[tuple[float, int, int]]:
    """Return the positions of a text in a picture of the screen, or in a part (left, top, width, height)."""
    left, top, wide, high = part or (0, 0, width, height)
    left, top = max(left, 0), max(top, 0)
    with bpy.context.temp_override(window=_main()):
        pixels = read_picture(Path(picture), width, height)[top : top + high, left : left + wide]
        return [(alike, left + x, top + y) for alike, x, y in find_words(pixels, text)]


def english(picture: str, width: int, height: int, part: list[int], language: str) -> list[str]:
    """Return the English texts in a part of a picture of the screen, for which a language has others.

    Short texts and those with values are left out.
    """
    left, top, wide, high = part
    texts = read_texts(_TRANSLATIONS / f"{language}.po")
    other = {text for text, said in texts.items() if _differ(text, said) and text not in texts.values()}
    asked = sorted(text for text in other if _SHORTEST <= len(text) <= _LONGEST and "{" not in text)
    with bpy.context.temp_override(window=_main()):
        pixels = read_picture(Path(picture), width, height)[top : top + high, left : left + wide]
        return texts_in(pixels, asked)


def _differ(text: str, translation: str) -> bool:
    """Return whether a text and its translation look different: letters are compared by their shape."""
    return SequenceMatcher(None, text, translation).ratio() < _ALIKE


def speak(locale: str) -> None:
    """Change the language of Blender, as in its preferences."""
    view: Any = bpy.context.preferences.view
    view.language = locale
    view.use_translate_interface = view.use_translate_tooltips = True


def _view() -> tuple[Area, Region]:
    """Return the largest 3D view."""
    views = [area for area in _main().screen.areas if area.type == "VIEW_3D"]
    area = max(views, key=lambda area: area.width * area.height)
    return area, next(region for region in area.regions if region.type == "WINDOW")


def _graph() -> Any:
    return _main().view_layer.depsgraph


def _seen(place: Vector, height: int) -> Place | None:
    """Return the position of a world point in the largest 3D view, or None if it is hidden."""
    area, region = _view()
    space: Any = area.spaces.active.region_3d
    point: Any = location_3d_to_region_2d(region, space, place)
    if point is None or not (0 < point.x < region.width and 0 < point.y < region.height):
        return None
    x, y = round(region.x + point.x), round(region.y + point.y)
    covered = (each for each in area.regions if each.type != "WINDOW" and each.width > 1)
    if any(each.x <= x < each.x + each.width and each.y <= y < each.y + each.height for each in covered):
        return None
    origin = region_2d_to_origin_3d(region, space, point)
    ray = place - origin
    scene, graph = _main().scene, _graph()
    culled = area.spaces.active.shading.show_backface_culling
    # Faces that face away are not drawn, so objects behind them are visible.
    while True:
        hit, where, normal, *_ = scene.ray_cast(graph, origin, ray.normalized(), distance=ray.length)
        if not hit or (where - place).length < _NEAR:
            return _main().x + x, height - (_main().y + y)
        if not (culled and normal.dot(ray) > 0):
            return None
        origin = where + ray.normalized() * 1e-3
        ray = place - origin
        if ray.length < _NEAR:
            return None


def point(name: str, height: int, face: int | None = None) -> Place | None:
    """Return a screen position of an object: its middle-most visible face, or one face."""
    graph = _graph()
    obj = bpy.data.objects[name]
    middles: list[Vector] = []
    for each in graph.object_instances:
        owner = each.parent if each.is_instance else each.object
        if owner is not None and owner.original == obj and each.object.type == "MESH":
            polygons = each.object.data.polygons
            chosen = polygons if face is None else [polygons[face]]
            middles += [each.matrix_world @ polygon.center for polygon in chosen]
    if not middles:
        middles = [obj.matrix_world.translation]
    middle = sum(middles, Vector()) / len(middles)
    for place in sorted(middles, key=lambda place: (place - middle).length)[:200]:
        found = _seen(place, height)
        if found is not None:
            return found
    return None


def frame_of(name: str, height: int) -> list[float] | None:
    """Return left, top, right and bottom on the screen of all corners of an object, None behind the eye."""
    _, region = _view()
    obj, space = bpy.data.objects[name], _view()[0].spaces.active.region_3d
    places: list[Vector] = []
    for each in _graph().object_instances:
        owner = each.parent if each.is_instance else each.object
        if owner is not None and owner.original == obj and each.object.type == "MESH":
            corners = [each.matrix_world @ Vector(corner) for corner in each.object.bound_box]
            places += [location_3d_to_region_2d(region, space, corner) for corner in corners]
    if not places or None in places:
        return None
    xs = [_main().x + region.x + place.x for place in places]
    ys = [height - (_main().y + region.y + place.y) for place in places]
    return [min(xs), min(ys), max(xs), max(ys)]


def shown_meshes() -> list[str]:
    """Return the meshes of models that the largest 3D view shows."""
    space: Any = _view()[0].spaces.active
    layer = _main().view_layer
    with bpy.context.temp_override(window=_main(), scene=_main().scene, view_layer=layer):
        shown = [each for each in layer.objects if each.visible_get(viewport=space)]
    return sorted(each.name for each in shown if each.tomb_raider.kind == "MODEL_MESH")


def select(name: str) -> None:
    """Select an object alone, as a click in the Outliner does."""
    layer = _main().view_layer
    for each in list(layer.objects.selected):
        each.select_set(False, view_layer=layer)
    bpy.data.objects[name].select_set(True, view_layer=layer)
    layer.objects.active = bpy.data.objects[name]


def floors(name: str, height: int, at: float | None) -> list[tuple[int, Place]]:
    """Return the visible floor faces of a mesh at a height in meters with their places, the middle first."""
    obj = bpy.data.objects[name]
    obj.update_from_editmode()
    found = []
    for each in obj.data.polygons:
        middle = obj.matrix_world @ each.center
        place = (
            _seen(middle, height)
            if each.normal.z > 0.9 and (at is None or abs(middle.z - at) < 0.1)
            else None
        )
        if place is not None:
            found.append((each.index, place))
    _, region = _view()
    aim = Vector((_main().x + region.x + region.width * 0.4, height / 2))
    return sorted(found, key=lambda each: (Vector(each[1]) - aim).length)[:20]


def faces(name: str) -> list[dict[str, Any]]:
    """Return the faces of a mesh in the world: middle, normal, whether selected, and what they show.

    That is the image of their material, the rectangle of pixels from its top left (left, top, width, height),
    and for each corner its position and the place on this rectangle, from 0, 0 at its lower left to 1, 1.
    """
    obj: Any = bpy.data.objects[name]
    matrix, turn = obj.matrix_world, obj.matrix_world.to_3x3()
    found = []
    with _read(obj.data) as edited:
        layer = edited.loops.layers.uv.active
        for face in edited.faces:
            nodes = obj.data.materials[face.material_index].node_tree.nodes
            image = next((node.image for node in nodes if node.type == "TEX_IMAGE"), None)
            size = (1, 1) if image is None else image.size
            uvs = [loop[layer].uv for loop in face.loops]
            texels = [(uv.x * size[0], (1 - uv.y) * size[1]) for uv in uvs]
            low, high = ([end(axis) for axis in zip(*texels, strict=True)] for end in (min, max))
            width, height = (max(high[axis] - low[axis], 1e-6) for axis in (0, 1))
            corners = [
                [*(matrix @ loop.vert.co), (x - low[0]) / width, (high[1] - y) / height]
                for loop, (x, y) in zip(face.loops, texels, strict=True)
            ]
            found.append(
                {
                    "middle": list(matrix @ face.calc_center_median()),
                    "normal": list((turn @ face.normal).normalized()),
                    "selected": face.select,
                    "image": None if image is None else image.name,
                    "pixels": [round(each, 2) for each in (*low, width, height)],
                    "corners": corners,
                }
            )
    return found


@contextmanager
def _read(mesh: Any) -> Iterator[Any]:
    """Yield a BMesh with the faces of a mesh: in edit mode, only that has the UVs."""
    import bmesh  # importable only after bpy outside of Blender's own program

    if mesh.is_editmode:
        yield bmesh.from_edit_mesh(mesh)
        return
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        yield edited
    finally:
        edited.free()


def place(place: list[float], height: int) -> Place | None:
    """Return the position on the screen of a point of the world, or None if something hides it."""
    return _seen(Vector(place), height)


def pixel(x: float, y: float, height: int) -> Place | None:
    """Return the position on the screen of a pixel of the largest Image Editor's image, from its top left."""
    editors = [area for area in _main().screen.areas if area.type == "IMAGE_EDITOR"]
    area: Any = max(editors, key=lambda area: area.width * area.height)
    region = next(region for region in area.regions if region.type == "WINDOW")
    image = area.spaces.active.image
    if image is None:
        return None
    size = image.size
    across, up = region.view2d.view_to_region(x / size[0], 1 - y / size[1], clip=False)
    if not (0 <= across < region.width and 0 <= up < region.height):
        return None
    return _main().x + region.x + across, height - (_main().y + region.y + up)


def texel(name: str, face: int) -> list[float]:
    """Return the color of a face's texture in the middle of the face: red, green, blue, alpha."""
    mesh: Any = bpy.data.objects[name].data
    with _read(mesh) as edited:
        edited.faces.ensure_lookup_table()
        polygon = edited.faces[face]
        nodes = mesh.materials[polygon.material_index].node_tree.nodes
        image = next(node.image for node in nodes if node.type == "TEX_IMAGE")
        layer = edited.loops.layers.uv.active
        corners = [corner[layer].uv.copy() for corner in polygon.loops]
    u, v = sum(corners, Vector((0, 0))) / len(corners)
    start = (int(v * image.size[1]) * image.size[0] + int(u * image.size[0])) * 4
    return list(image.pixels[start : start + 4])


def drop(path: str) -> None:
    """Open the import dialog, as Blender does for a file that is dropped on the largest 3D view."""
    area, region = _view()
    is_animation = path.endswith(".anim")
    operator: Any = bpy.ops.import_anim.tomb_raider if is_animation else bpy.ops.import_scene.tomb_raider
    with bpy.context.temp_override(window=_main(), area=area, region=region):
        folder, name = os.path.split(path)
        operator("INVOKE_DEFAULT", filepath=path, directory=folder, files=[{"name": name}])


def close() -> None:
    """Close all windows but the main one, as a window manager does: this screen has none."""
    for window in list(bpy.context.window_manager.windows)[1:]:
        with bpy.context.temp_override(window=window):
            bpy.ops.wm.window_close()


# ---------------------------------------------------------------- state


def state() -> dict[str, Any]:
    """Return the state of the scene and the windows."""
    window = _main()
    layer = window.view_layer
    active = layer.objects.active
    levels = [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"]
    return {
        "levels": [{"name": each.name, "game": each.tomb_raider.game} for each in levels],
        "objects": len(bpy.data.objects),
        "names": sorted(each.name for each in window.scene.objects),
        "active": None if active is None else active.name,
        "new": active is not None and (active.tomb_raider.is_copy or active.tomb_raider.index < 0),
        "kind": None if active is None else active.tomb_raider.kind,
        "selected": sorted(each.name for each in layer.objects.selected),
        "mode": None if active is None else active.mode,
        "workspace": window.workspace.name,
        "windows": [each.screen.areas[0].type for each in bpy.context.window_manager.windows],
        "views": [_view_state(area) for area in window.screen.areas if area.type == "VIEW_3D"],
        "cursor": list(window.scene.cursor.location),
        "saved": not bpy.data.is_dirty,
        "running": [each.bl_idname for each in window.modal_operators],
    }


def places() -> dict[str, list[float]]:
    """Return the matrices of all objects of the scene by name."""
    objects = _main().scene.objects
    return {each.name: [round(value, 4) for row in each.matrix_world for value in row] for each in objects}


def _view_state(area: Area) -> dict[str, Any]:
    space = area.spaces.active
    side = next(region for region in area.regions if region.type == "UI")
    return {
        "sidebar": space.show_region_ui,
        "tab": getattr(side, "active_panel_category", "") if space.show_region_ui else "",
        "shading": space.shading.type,
        "culling": space.shading.show_backface_culling,
        "distance": space.region_3d.view_distance,
        "local": space.local_view is not None,
    }


def obj(name: str) -> dict[str, Any]:
    """Return the state of an object."""
    found: Object | None = bpy.data.objects.get(name)
    if found is None:
        return {}
    with bpy.context.temp_override(window=_main(), scene=_main().scene, view_layer=_main().view_layer):
        visible = found.visible_get()
    found.update_from_editmode()
    mesh = found.data if found.type == "MESH" else None
    room = found.tomb_raider.entity.room
    return {
        "kind": found.tomb_raider.kind,
        "room": "" if room is None else room.name,
        "place": list(found.matrix_world.translation),
        "visible": visible,
        "vertices": [] if mesh is None else [list(found.matrix_world @ each.co) for each in mesh.vertices],
        "selected_vertices": 0 if mesh is None else sum(each.select for each in mesh.vertices),
        "hidden_faces": 0 if mesh is None else sum(each.hide for each in mesh.polygons),
        "selected_faces": [] if mesh is None else [each.index for each in mesh.polygons if each.select],
    }


def meshes(name: str) -> list[str]:
    """Return the names of the meshes in a collection instance."""
    shown: Any = bpy.data.objects[name].instance_collection
    return sorted(each.data.name for each in shown.all_objects if each.type == "MESH")


def library(folder: str) -> None:
    """Add a folder as an asset library, without the window of the preferences."""
    known = bpy.context.preferences.filepaths.asset_libraries
    if all(each.path != folder for each in known):
        known.new(name="Tried", directory=folder)


def collections() -> list[str]:
    """Return the names of all collections."""
    return sorted(each.name for each in bpy.data.collections)


def leave() -> None:
    """End Blender, after the answer was written."""

    def end() -> None:
        bpy.ops.wm.quit_blender()

    bpy.app.timers.register(end, first_interval=2 * _EVERY)


QUESTIONS: dict[str, Callable[..., Any]] = {
    "areas": areas,
    "words": words,
    "english": english,
    "speak": speak,
    "point": point,
    "floors": floors,
    "frame_of": frame_of,
    "shown_meshes": shown_meshes,
    "select": select,
    "faces": faces,
    "place": place,
    "pixel": pixel,
    "level": rooms_of_file,
    "animations": animations_of_file,
    "cutscenes": cutscenes_of_file,
    "objects": objects_of_file,
    "posing": posing.posing,
    "control": posing.control,
    "rows": posing.rows,
    "curves": posing.curves,
    "frame": posing.frame,
    "nodes": posing.nodes,
    "texel": texel,
    "drop": drop,
    "close": close,
    "leave": leave,
    "state": state,
    "object": obj,
    "places": places,
    "meshes": meshes,
    "library": library,
    "collections": collections,
}


# ---------------------------------------------------------------- communication


class Channel:
    """Reads questions and writes answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def answer(self) -> float:
        path = self.folder / "question.json"
        if path.exists():
            question = json.loads(path.read_text(encoding="utf-8"))
            path.unlink()
            number, name = question.pop("number"), question.pop("ask")
            error = f"there is no question {name}"
            answer: dict[str, Any] = {"number": number, "error": error}
            try:
                if name in QUESTIONS:
                    answer["error"] = "the reason stands in Blender's console"
                    answer = {"number": number, "value": QUESTIONS[name](**question)}
            finally:
                unfinished = self.folder / "answer.unfinished"
                unfinished.write_text(json.dumps(answer), encoding="utf-8")
                os.replace(unfinished, self.folder / "answer.json")
        return _EVERY


def draw_fast() -> None:
    """Draw each view once: by default Blender draws a still view eight times, and moves smoothly."""
    preferences: Any = bpy.context.preferences
    preferences.system.viewport_aa = "FXAA"
    preferences.view.smooth_view = 0


if __name__ == "__main__":
    folder, *wishes = sys.argv[sys.argv.index("--") + 1 :]
    channel = Channel(Path(folder))
    if FINE not in wishes:
        draw_fast()
    bpy.app.timers.register(channel.answer, first_interval=1.0, persistent=True)
