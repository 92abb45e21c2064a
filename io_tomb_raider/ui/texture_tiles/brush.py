"""The texture brush: operators that put the active tile on faces under the mouse or on selected ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Collection, Context, Event, Material, Mesh, Object, Operator
from mathutils import Vector

from ...formats import ExportError, FormatError
from ...formats.base import N_, SECTOR_SIZE, T, about
from ...scene.core import require_local
from ...scene.properties import CONTEXT
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, explain, report_line
from ..base.text.i18n import translate
from ..textures.operators import edited_objects
from .settings import active_tile, choose_tile, fit_of, remember_tile, texturing

if TYPE_CHECKING:
    from .picking import FaceHit

_STEP = 6  # pixels between rays along the path of the mouse
# Events that navigate the view.
_NAVIGATION = {"MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM"}

AREAS = [
    ("FACE", "Face", "The face under the mouse", 0),
    ("PLANE", "Plane", "The face and all connected faces in its plane", 1),
    ("GROUP", "Floors, Ceilings or Walls", "All floors of the room, all its ceilings, or all its walls", 2),
]


class Stroke:
    """A stroke of the brush: every face gets the tile once.

    See :data:`AREAS` for the faces that are painted with the one under the mouse.
    """

    def __init__(self, context: Context, area: str = "FACE") -> None:
        from .picking import FacePicker, hides_backs, paintable_objects

        self._tile, self._fit, self._area = active_tile(context), fit_of(context), area
        self._picker = FacePicker(paintable_objects(context), skips_backs=hides_backs(context))
        self._painted: dict[Mesh, set[int]] = {}
        self._materials: dict[Collection, Material] = {}
        self._levels: dict[Object, Collection | None] = {}
        self.count = 0
        remember_tile(context, self._tile)

    def paint(self, rays: Sequence[tuple[Vector, Vector]]) -> None:
        """Put the tile on the faces that rays meet: origins and directions in the world.

        Raises:
            ExportError: for objects of other files, and as
                :func:`...scene.authoring.texture_tiles.painting.paint` does.
        """
        faces_by_mesh: dict[Mesh, tuple[Object, dict[int, None]]] = {}
        for origin, direction in rays:
            hit = self._picker.find(origin, direction)
            if hit is not None and hit.face not in self._painted_of(hit.obj):
                painted = self._painted_of(hit.obj)
                _, faces = faces_by_mesh.setdefault(_mesh_of(hit.obj), (hit.obj, {}))
                faces.update((face, None) for face in self._with(hit) if face not in painted)
        for obj, faces in faces_by_mesh.values():
            if obj not in self._levels:
                self._levels[obj] = level_of(obj)
            level = self._levels[obj]
            if level is not None:
                self._paint(level, obj, list(faces))

    def _paint(self, level: Collection, obj: Object, faces: list[int]) -> None:
        from ...scene.authoring.texture_tiles import paint, tile_material

        for block in (obj, _mesh_of(obj)):
            require_local(block)
        if level not in self._materials:
            self._materials[level] = tile_material(level, self._tile)
        before = paint(level, obj, faces, self._tile, self._fit, self._materials[level])
        self.count += len(faces)
        painted = self._painted_of(obj)
        painted.update(faces)
        if before is not None:  # faces have new numbers
            self._picker.forget(obj)
            now = {number for number, source in enumerate(before) if source < 0 or source in painted}
            self._painted[_mesh_of(obj)] = now

    def _painted_of(self, obj: Object) -> set[int]:
        return self._painted.setdefault(_mesh_of(obj), set())

    def _with(self, hit: "FaceHit") -> list[int]:
        level = None if self._area == "FACE" else level_of(hit.obj)
        return [hit.face] if level is None else faces_with(level, hit, self._area)


def faces_with(level: Collection, hit: "FaceHit", area: str) -> list[int]:
    """Return the faces that are painted together with one, see :data:`AREAS`."""
    from ...scene.authoring.texture_tiles import coplanar_faces, faces_of_group
    from ...scene.mesh import read_all

    shape = read_all(_mesh_of(hit.obj))
    if area == "GROUP":
        return faces_of_group(level, hit.obj, shape, hit.face).tolist()
    return coplanar_faces(shape, hit.face, SECTOR_SIZE * level.tomb_raider.scale).tolist()


def _mesh_of(obj: Object) -> Any:
    return obj.data


def rays_along(context: Context, start: tuple[float, float], end: tuple[float, float]) -> list[Any]:
    """Return the rays of a view under a path of the mouse, in pixels of the region."""
    from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d

    region: Any = context.region
    view: Any = context.region_data
    steps = max(int(max(abs(end[0] - start[0]), abs(end[1] - start[1])) / _STEP), 1)
    result = []
    for step in range(1, steps + 1):
        share = step / steps
        at = (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
        origin = region_2d_to_origin_3d(region, view, at)
        result.append((origin, region_2d_to_vector_3d(region, view, at)))
    return result


class _ViewTool(EditingTool):
    """Base of operators on the face under the mouse."""

    requires = condition(
        lambda context: (
            context.area is not None
            and context.area.type == "VIEW_3D"
            and context.mode in {"OBJECT", "EDIT_MESH"}
        ),
        T("Use it in a 3D view, in Object Mode or on a mesh in Edit Mode"),
    )
    prompt = ""  # in the status bar, while an operator that was called from a menu waits for a click
    _waits = False

    def edited(self, context: Context) -> tuple[()]:
        """Return nothing: what is painted is not known before."""
        return ()

    def begin(self, context: Context, event: Event) -> Any:
        """Start on the face under the mouse."""
        raise NotImplementedError

    def invoke(self, context: Context, event: Event) -> Any:
        if _is_press(event):
            return self.begin(context, event)
        self._waits = True
        context.workspace.status_text_set(translate(self.prompt))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Any:
        if _is_press(event):
            self._waits = False
            context.workspace.status_text_set(None)
            return self.begin(context, event)
        if event.type in {"ESC", "RIGHTMOUSE"}:
            context.workspace.status_text_set(None)
            return {"CANCELLED"}
        return {"PASS_THROUGH"} if event.type in _NAVIGATION else {"RUNNING_MODAL"}


def _is_press(event: Event) -> bool:
    return event.type in {"LEFTMOUSE", "PEN"} and event.value in {"PRESS", "CLICK_DRAG"}


def _mouse_of(event: Event) -> tuple[float, float]:
    return float(event.mouse_region_x), float(event.mouse_region_y)


class TOMB_RAIDER_OT_paint_tile(_ViewTool):
    """Put the active tile on faces: click one, or drag over many"""

    bl_idname = "tomb_raider.paint_tile"
    bl_label = "Paint Tile"
    bl_options = {"UNDO", "BLOCKING"}

    area: EnumProperty(
        name="Area",
        translation_context=CONTEXT,
        items=AREAS,
        options={"SKIP_SAVE"},
        description="Faces to paint together with the face under the mouse",
    )
    prompt = N_("Drag over faces to paint them, Esc: cancel")
    _is_modal = False

    def begin(self, context: Context, event: Event) -> Any:
        self._stroke = Stroke(context, self.area)
        self._last = _mouse_of(event)
        if not self._paint(context, self._last):
            return self._finish()
        if not self._is_modal:
            self._is_modal = True
            context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Any:
        if self._waits:
            self._is_modal = True
            return super().modal(context, event)
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            if not self._paint(context, _mouse_of(event)):
                return self._finish()
        elif event.value == "RELEASE" and event.type in {"LEFTMOUSE", "RIGHTMOUSE", "PEN"}:
            return self._finish()
        return {"RUNNING_MODAL"}

    def _paint(self, context: Context, at: tuple[float, float]) -> bool:
        try:
            self._stroke.paint(rays_along(context, self._last, at))
        except (ExportError, FormatError) as error:
            report_line(self, "ERROR", explain(error))
            return False
        self._last = at
        context.area.tag_redraw()
        return True

    def _finish(self) -> Outcome:
        # Without a painted face there is no step to undo.
        return {"FINISHED"} if self._stroke.count else {"CANCELLED"}


class TOMB_RAIDER_OT_pick_tile(_ViewTool):
    """Make the tile of the face under the mouse the active one, with its rotation"""

    bl_idname = "tomb_raider.pick_tile"
    bl_label = "Pick Tile"
    # Otherwise undo of a stroke would bring the tile of the stroke before back.
    bl_options = {"UNDO"}

    prompt = N_("Click a face to pick its tile, Esc: cancel")

    def begin(self, context: Context, event: Event) -> Any:
        from .picking import FacePicker, hides_backs, paintable_objects

        at = _mouse_of(event)
        picker = FacePicker(paintable_objects(context), skips_backs=hides_backs(context))
        hit = picker.find(*rays_along(context, at, at)[0])
        if hit is None:
            report_line(self, "WARNING", T("There is no face of a level under the mouse"))
            return {"CANCELLED"}
        return pick(self, context, hit.obj, hit.face)


def pick(operator: Operator, context: Context, obj: Object, face: int) -> Outcome:
    """Make the tile of a face the active one, and report it."""
    from ...scene.authoring.texture_tiles import tile_of

    level = level_of(obj)
    tile = None if level is None else tile_of(level, obj, face, fit_of(context).forward)
    if tile is None:
        report_line(operator, "WARNING", T("The face shows no image"))
        return {"CANCELLED"}
    choose_tile(context, tile)
    left, top, width, height = tile.area
    rectangle = T("{width:.0f} x {height:.0f} at {x:.0f}, {y:.0f}", width=width, height=height, x=left, y=top)
    report_line(operator, "INFO", about(tile.image.name, rectangle))
    return {"FINISHED"}


class TOMB_RAIDER_OT_turn_tile(Operator):
    """Turn the active tile clockwise by 90°"""

    bl_idname = "tomb_raider.turn_tile"
    bl_label = "Turn Tile"
    bl_options = {"REGISTER", "UNDO"}

    counterclockwise: BoolProperty(
        name="Counterclockwise", description="Turn the tile the other way", options={"SKIP_SAVE"}
    )

    def execute(self, context: Context) -> Outcome:
        tile = texturing(context).tile
        tile.turns = (tile.turns + (3 if self.counterclockwise else 1)) % 4
        redraw_editors(context)
        return {"FINISHED"}


class TOMB_RAIDER_OT_mirror_tile(Operator):
    """Swap left and right of the active tile, as shown on faces"""

    bl_idname = "tomb_raider.mirror_tile"
    bl_label = "Mirror Tile"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Outcome:
        tile = texturing(context).tile
        tile.mirrored = not tile.mirrored
        # The tile is mirrored before it is turned: by a quarter, the other way would be mirrored.
        tile.turns = -tile.turns % 4
        redraw_editors(context)
        return {"FINISHED"}


def redraw_editors(context: Context) -> None:
    """Redraw 3D views and Image Editors, which show the active tile."""
    for area in context.screen.areas if context.screen is not None else ():
        if area.type in {"VIEW_3D", "IMAGE_EDITOR"}:
            area.tag_redraw()


class TOMB_RAIDER_OT_paint_selected(EditingTool):
    """Put the active tile on the selected faces"""

    bl_idname = "tomb_raider.paint_selected"
    bl_label = "Paint Selected Faces"
    requires = condition(lambda context: edited_objects(context), T("Select faces of a level in Edit Mode"))

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.texture_tiles import paint
        from ...scene.subjects.object_textures import selected_faces

        objects, mode, count = edited_objects(context), UserMode(context), 0
        try:
            tile, fit = active_tile(context), fit_of(context)
            mode.leave()
            for obj in objects:
                level, mesh = level_of(obj), _mesh_of(obj)
                faces = selected_faces(mesh)
                if level is not None and len(faces):
                    paint(level, obj, faces.tolist(), tile, fit)
                    count += len(faces)
        finally:
            mode.enter_again()
        if not count:
            report_line(self, "WARNING", T("No faces are selected"))
            return {"CANCELLED"}
        remember_tile(context, tile)
        report_line(self, "INFO", T("Faces that changed: {changed}", changed=count))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_paint_tile,
        TOMB_RAIDER_OT_pick_tile,
        TOMB_RAIDER_OT_turn_tile,
        TOMB_RAIDER_OT_mirror_tile,
        TOMB_RAIDER_OT_paint_selected,
    )
)
