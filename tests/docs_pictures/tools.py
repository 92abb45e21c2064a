"""Pictures of tools, some of them moving: a scene before and after, or while the tool is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from PIL import Image

from io_tomb_raider.formats import Game

from .. import pictures
from ..scene.authoring.split_into_rooms.air_meshes import add_mesh, air_mesh, flat_material
from ..scene.scenes import objects
from ..scene.subjects.collision.collision_meshes import FLOOR, EditMode
from ..ui.user_actions import select
from . import empty_file, movies, tutorials
from .example import (
    HALL,
    LARA_IN_HALL,
    SMALL,
    Picture,
    at,
    import_example,
    move_lara,
    rendered,
    view_at,
)
from .landing import hall

Frames = list[Picture]
_SLOW = 900  # milliseconds


def draw(path: Path) -> None:
    """Draw the pictures into the folder of this name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        write(folder / f"{name}.webp", picture())


def write(path: Path, shown: tuple[Frames, int]) -> None:
    """Write pictures as a WebP file: one, or several that each last a number of milliseconds."""
    (first, *others), duration = shown
    images = [Image.fromarray(each[..., :3].copy()) for each in (first, *others)]
    more: dict[str, Any] = {"save_all": True, "append_images": images[1:], "duration": duration, "loop": 0}
    images[0].save(path, quality=78, method=6, **(more if others else {}))


def _row(shots: Sequence[Picture]) -> tuple[Frames, int]:
    return [pictures.side_by_side(shots)], 0


# --- Rooms ----------------------------------------


def _blocks() -> tuple[Frames, int]:
    """Return a room that follows while a block is pulled out of its floor."""
    empty_file()
    bpy.ops.tomb_raider.new_level(game="TR4", level_name="Home")
    root = bpy.data.collections["Home"]
    room = bpy.data.objects["Room 000"]
    select(room)
    bpy.ops.tomb_raider.room_from_sectors()
    shots = [_from_above(root)]
    for parts, clicks in (((2, 4), 2), ((2, 4), 2), ((3, 4), 2), ((4, 4), 5), ((4, 3), 3)):
        with EditMode(root, 0, (FLOOR, parts)) as mode:
            bpy.ops.tomb_raider.raise_sectors(clicks=clicks)
        mode.layer.exclude = True
        shots.append(_from_above(root))
    return [*shots, shots[-1]], _SLOW


def _from_above(root: Any) -> Picture:
    rooms = pictures.visible_rooms(root)
    for obj in objects(root, "COLLISION"):
        obj.hide_render = True
    with pictures.cut_open(rooms):
        return rendered(pictures.view_from_above(rooms, SMALL[0] / SMALL[1]), SMALL)


def _scene_to_level() -> tuple[Frames, int]:
    """Return a building in one mesh, and the rooms that it becomes, each in its own color."""
    empty_file()
    air = np.zeros((20, 12, 4), bool)
    for x, y, width, depth, height in (
        (0, 0, 6, 6, 3),
        (6, 2, 3, 2, 2),
        (9, 0, 7, 8, 4),
        (12, 8, 2, 4, 2),
        (16, 3, 4, 3, 2),
    ):
        air[x : x + width, y : y + depth, :height] = True
    building = add_mesh(air_mesh(air), flat_material("Stone", (0.55, 0.5, 0.45)))
    select(building)
    view = pictures.view_from_above([building], SMALL[0] / SMALL[1])
    shots = []
    with pictures.cut_open([building]):
        shots.append(_colored(view))
    bpy.ops.tomb_raider.split_into_rooms(game="TR4", sectors=9)
    building.hide_render = True
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    rooms = pictures.visible_rooms(root)
    for obj in root.all_objects:
        obj.hide_render = obj not in rooms
    shown: Any = rooms
    for number, room in enumerate(shown):
        room.color = (*_COLORS[number % len(_COLORS)], 1.0)
    with pictures.cut_open(rooms):
        shots.append(_colored(view, by_object=True))
    return _row(shots)


_COLORS = (
    (0.75, 0.35, 0.3),
    (0.3, 0.6, 0.4),
    (0.3, 0.45, 0.75),
    (0.8, 0.65, 0.3),
    (0.6, 0.4, 0.7),
    (0.35, 0.65, 0.7),
)


def _colored(view: pictures.View, *, by_object: bool = False) -> Picture:
    """Return a picture with the colors of materials or objects, and shaded surfaces."""
    set_up = pictures.set_up

    def shaded(scene: Any, size: tuple[int, int], *, lit: bool = False) -> None:
        set_up(scene, size, lit=lit)
        scene.display.shading.light = "STUDIO"
        scene.display.shading.color_type = "OBJECT" if by_object else "MATERIAL"

    pictures.set_up = shaded
    try:
        return rendered(view, SMALL, lit=False)
    finally:
        pictures.set_up = set_up


def _water() -> tuple[Frames, int]:
    """Return a pool whose surface moves."""
    import_example()
    bpy.ops.tomb_raider.show_vertex_effects(display="MOTION")
    view = view_at((32.6, 2.6, 27.2), (38.4, -0.5, 31.2), 26)
    shots = []
    scene: Any = bpy.context.scene
    for frame in range(0, 64, 4):
        scene.frame_set(frame)
        shots.append(rendered(view, SMALL, samples=16))
    return shots, 133


# --- Textures and light ----------------------------------------


def _brush() -> tuple[Frames, int]:
    """Return a room while its faces get tiles."""
    tiled = tutorials.TILED

    def shot() -> Picture:
        # Cut-open meshes are not visible in Edit Mode.
        bpy.ops.object.mode_set(mode="OBJECT")
        picture = tiled()
        bpy.ops.object.mode_set(mode="EDIT")
        return picture

    shots = tutorials.play("texture-a-room", {3: tiled, **dict.fromkeys((5, 6, 7), shot)})
    return [*shots, shots[-1]], _SLOW


def _light() -> tuple[Frames, int]:
    """Return Lara in the gorge, and with a red light next to her."""
    root = import_example()
    shots = [_near_lara()]
    light = bpy.data.objects.new("Red", bpy.data.lights.new("Red", "POINT"))
    light.location = at(24.7, 10.4, 5.3)
    light.data.color, light.data.energy = (1.0, 0.05, 0.02), 4000
    objects(root, "ROOM")[0].users_collection[0].objects.link(light)
    bpy.context.view_layer.update()
    bpy.ops.tomb_raider.check_level()  # claims the light
    shots.append(_near_lara())
    return _row(shots)


def _near_lara() -> Picture:
    return rendered(view_at((25.1, 10.8, 6.1), (23.9, 9.7, 4.6), 28), SMALL)


def _distance() -> tuple[Frames, int]:
    """Return a hall as it is, and with darkness that begins near the camera."""
    root = import_example()
    move_lara(*LARA_IN_HALL)
    settings = root.tomb_raider.level
    shots = [_hall()]
    settings.shows_distance = True
    settings.distance_start, settings.distance_end = 3072, 17408
    shots.append(_hall())
    settings.fades_to_color, settings.fog_color = True, (0.55, 0.6, 0.7)
    shots.append(_hall())
    return _row(shots)


def _hall() -> Picture:
    bpy.context.view_layer.update()
    return rendered(view_at(*HALL), SMALL)


# --- Models and animations ----------------------------------------


def _five_games() -> tuple[Frames, int]:
    """Return the same view in all games."""
    return _row([hall(game, (240, 180)) for game in Game])


def _boxes() -> tuple[Frames, int]:
    """Return Lara, jars and a stump with the boxes that the overlay *Boxes* draws."""
    from io_tomb_raider.ui.meshes.boxes import shapes_of

    root = import_example()
    move_lara((25.2, 8.0, 6.9), 150.0)
    bpy.context.view_layer.update()
    bounded = [*objects(root, "ENTITY"), *objects(root, "PLACEMENT")]
    for color, points in shapes_of(bounded, 0):
        material: Any = bpy.data.materials.new("Box")
        material.diffuse_color = color
        data = movies.tubes(list(zip(points[::2], points[1::2], strict=True)), 0.025)
        data.materials.append(material)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("Box", data))
    view = view_at((23.9, 11.6, 4.2), (25.2, 9.4, 8.0), 26)
    return [rendered(view, (480, 300))], 0


def _treadmill() -> tuple[Frames, int]:
    """Return Lara as she runs, over a floor that moves at the speed of the animation."""
    (film,) = tutorials.play("animate-lara", {1: lambda: movies.film(movies.Filming())})
    return film, 33


def _ghosts() -> tuple[Frames, int]:
    """Return a run with the poses around the current frame, spread by its speed."""
    (shots,) = tutorials.play("animate-lara", {1: _with_ghosts})
    return shots, 0


def _with_ghosts() -> Frames:
    from io_tomb_raider.scene.authoring.animation_views.ghosts import GhostMaker
    from io_tomb_raider.ui.animations.watched import watching

    armature, scene = movies.lara(), bpy.context.scene
    settings: Any = watching(bpy.context)
    settings.ghosts, settings.spread, settings.step, settings.before, settings.after = True, True, 6, 2, 2
    frame = 11
    scene.frame_set(frame)
    size, movies.SIZE = movies.SIZE, (720, 270)
    filming = movies.Filming((-3.2, 0.2, 0.6), height=2.05)
    try:
        with movies.stage_of(armature, filming) as stage:
            for ghost in GhostMaker(armature, settings, frame, 1 / 512).all():
                mesh: Any = bpy.data.meshes.new("Ghost")
                mesh.from_pydata(ghost.points.tolist(), [], ghost.triangles.tolist())
                faded = np.array(ghost.color[:3]) * 0.75 + 0.05
                stage.add("Ghost", mesh, tuple(faded.tolist()))
            return stage.film([frame], 0.0, lambda _: [])
    finally:
        movies.SIZE = size


def _mirrored() -> tuple[Frames, int]:
    """Return a run and its mirrored copy."""

    def both() -> list[Frames]:
        plain = movies.film(movies.Filming())
        bpy.ops.tomb_raider.mirror_animation()
        return [plain, movies.film(movies.Filming())]

    (sides,) = tutorials.play("animate-lara", {1: both})
    return [pictures.side_by_side(pair) for pair in zip(*sides, strict=True)], 66


PICTURES: dict[str, Callable[[], tuple[Frames, int]]] = {
    "mesh-and-sectors": _blocks,
    "scene-to-level": _scene_to_level,
    "water": _water,
    "texture-brush": _brush,
    "lights": _light,
    "sky-and-fog": _distance,
    "games": _five_games,
    "meshes": _boxes,
    "watch-animations": _treadmill,
    "ghosts": _ghosts,
    "edit-keys": _mirrored,
}
