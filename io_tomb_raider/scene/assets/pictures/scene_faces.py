"""Faces of a scene for small pictures: meshes as Blender shows them, with images and vertex light."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from bpy.types import Material, Mesh, Object, Scene
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import Pixels
from ....formats.levels.lights import texture_factor
from ....formats.levels.textures import BlendMode
from ...core.blender.material_slots import shown_materials
from ...mesh.blender_mesh import material_slots, read_shape, read_triangles
from ...mesh.poly_mesh import transformed
from ...subjects.meshes.arrays import NORMAL
from ...subjects.meshes.layers import read_uvs, shown_color, shown_uv_map
from ...subjects.textures.coordinates import Coordinates, coordinates_of
from ...subjects.textures.materials import MISSING_COLOR, game_of_material, image_node, user_color
from ...subjects.textures.pixels import read_pixels
from .raster import FLAT, RasterFaces

_SQUARE = np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float64)  # UVs, clockwise from the upper left
_NARROWER = 0.999  # so that no pixel is on its diagonal, where both halves would glow


class _Look(NamedTuple):
    """What a material shows."""

    page: int
    size: tuple[int, int]  #: width and height of its image.
    color: tuple[float, float, float]  #: of faces without an image, 1 is full.
    blending: int
    coordinates: Coordinates
    game: Game | None  #: whose faces it draws; other materials do not show vertex light.
    has_back: bool


class SceneFaces:
    """Faces of scenes. Pixels of images are read once."""

    def __init__(self) -> None:
        self.pages: list[Pixels] = []  #: pixels of images, top row first.
        self._numbers: dict[int, int] = {}
        self._looks: dict[int, _Look] = {}

    def of_scene(self, scene: Scene) -> dict[Object, RasterFaces]:
        """Return the faces of the rendered meshes of a scene, by its objects that show them."""
        layer: Any = scene.view_layers[0]
        layer.update()
        parts: dict[Object, list[RasterFaces]] = {}
        for each in layer.depsgraph.object_instances:
            if isinstance(each.object.data, Mesh) and not each.object.original.hide_render:
                obj = each.parent if each.is_instance else each.object
                faces = self._of_object(each.object, np.array(each.matrix_world))
                parts.setdefault(obj.original, []).append(faces)
        return {obj: RasterFaces.join(faces) for obj, faces in parts.items()}

    def of_material(self, material: Material) -> RasterFaces:
        """Return a square that shows the whole image of a material, seen from the south."""
        look = self._look(material)
        points = np.stack([_SQUARE[:, 0] * _NARROWER, -_SQUARE[:, 1], np.zeros(4)], axis=1)
        corners = np.array([[0, 1, 2], [0, 2, 3]])
        return self._faces(
            look, points[corners], _SQUARE.astype(np.float32)[corners], np.full((2, 3, 3), np.nan)
        )

    def _of_object(self, obj: Any, matrix: NDArray[np.float64]) -> RasterFaces:
        mesh = obj.data
        corners, face = read_triangles(mesh)
        if np.linalg.det(matrix) > 0:  # files list corners clockwise
            corners = corners[:, ::-1]
        shape, uvs = read_shape(mesh), read_uvs(shown_uv_map(mesh), len(mesh.loops))
        points = transformed(shape.positions, matrix)[:, [0, 2, 1]] * (1, -1, 1)
        light = _vertex_light(mesh, shape.corners)
        slots, materials = material_slots(mesh)[face], shown_materials(obj)
        parts = []
        for slot in np.unique(slots).tolist():
            material = materials[slot] if slot < len(materials) else None
            rows = corners[slots == slot]
            look = self._look(material and material.original)
            texels = uvs if not look.coordinates.uv_map else _named_uvs(mesh, look.coordinates.uv_map, uvs)
            if NORMAL in mesh.attributes and look.game is not None and look.game.traits.has_light_curve:
                light = np.full_like(light, np.nan)  # neutral vertex light would darken it
            parts.append(self._faces(look, points[shape.corners[rows]], texels[rows], light[rows]))
        return RasterFaces.join(parts)

    def _faces(
        self, look: _Look, points: NDArray[Any], uvs: NDArray[np.float32], light: NDArray[np.float64]
    ) -> RasterFaces:
        count = len(points)
        texels = look.coordinates.apply(uvs.reshape(-1, 2)).reshape(-1, 3, 2).astype(np.float64)
        texels = (texels * (1, -1) + (0, 1)) * look.size
        color = np.tile(look.color, (count, 3, 1))
        if look.game is not None:
            color *= np.where(np.isnan(light), 1, texture_factor(look.game, light))
        page, blending, has_back = (
            np.full(count, each) for each in (look.page, look.blending, look.has_back)
        )
        return RasterFaces(points, texels, page, blending, color, has_back)

    def _look(self, material: Material | None) -> _Look:
        if material is None:
            return _Look(FLAT, (1, 1), (0.8, 0.8, 0.8), BlendMode.OPAQUE, Coordinates(), None, True)
        uid = material.session_uid
        if uid not in self._looks:
            self._looks[uid] = self._look_of(material)
        return self._looks[uid]

    def _look_of(self, material: Any) -> _Look:
        settings, game, node = material.tomb_raider, game_of_material(material), image_node(material)
        page = FLAT if node is None else self._page(node.image)
        height, width = self.pages[page].shape[:2] if page != FLAT else (1, 1)
        color = MISSING_COLOR if page == FLAT else (1.0, 1.0, 1.0)
        if node is None:
            red, green, blue = user_color(material)
            color = red / 255, green / 255, blue / 255
        blending = int(settings.attribute)
        if game is None and not settings.is_property_set("attribute"):
            is_additive = material.surface_render_method == "BLENDED"
            blending = BlendMode.ADDITIVE if is_additive else BlendMode.COLOR_KEYED
        return _Look(
            page,
            (width, height),
            color,
            blending,
            coordinates_of(node),
            game,
            not material.use_backface_culling,
        )

    def _page(self, image: Any) -> int:
        """Return the number of an image's page, FLAT where its file is missing."""
        uid = image.session_uid
        if uid not in self._numbers:
            try:
                self.pages.append(read_pixels(image))
            except ExportError:
                self._numbers[uid] = FLAT
            else:
                self._numbers[uid] = len(self.pages) - 1
        return self._numbers[uid]


def _named_uvs(mesh: Any, name: str, others: NDArray[np.float32]) -> NDArray[np.float32]:
    layer = mesh.uv_layers.get(name)
    return others if layer is None else read_uvs(layer, len(mesh.loops))


def _vertex_light(mesh: Mesh, corners: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the light at each corner as screen values, (k, 3), NaN for none, which black vertices have."""
    light = np.full((len(corners), 3), np.nan)
    layer = shown_color(mesh)
    if layer is not None and layer.domain in ("POINT", "CORNER"):
        values = np.empty((len(layer.data), 4), np.float32)
        layer.data.foreach_get("color_srgb", values.ravel())
        light[:] = (values[corners] if layer.domain == "POINT" else values)[:, :3]
        light[~(light > 0).any(axis=1)] = np.nan
    return light
