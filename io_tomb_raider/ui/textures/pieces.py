"""Operators on the texture region of the active face: select all faces that show it, or replace it."""

import os
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Mesh, Operator

from ...formats.base import T
from ..base.conditions import ConditionalTool, condition
from ..base.files.browsing import FileBrowser, browse
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line
from .operators import edited_objects

if TYPE_CHECKING:
    from ...scene.authoring.texture_regions import TextureRegion

_NAMED = 3  # meshes that a report names before they are only counted


def active_piece(context: Context) -> "TextureRegion | None":
    """Return the texture region of the active mesh's active face, or None. Not for edit mode."""
    from ...scene.authoring.texture_regions import piece_of

    mesh = context.object.data if context.object is not None else None
    return piece_of(mesh, mesh.polygons.active or 0) if isinstance(mesh, Mesh) else None


class PieceTool(ConditionalTool, Operator):
    """Base of operators on the texture region of the active face."""

    requires = condition(lambda context: edited_objects(context), T("Select a face of a level in Edit Mode"))


class TOMB_RAIDER_OT_select_same_texture(PieceTool):
    """Select all faces of the edited meshes with the same texture as the active face"""

    bl_idname = "tomb_raider.select_same_texture"
    bl_label = "Select Same Texture"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.texture_regions import faces_showing, level_meshes
        from ...scene.core import first_few

        objects, level = edited_objects(context), level_of(context.object)
        mode = UserMode(context)
        mode.leave()
        settings = context.tool_settings
        # In vertex mode, faces between the selected ones would be selected, too.
        settings.mesh_select_mode = (False, False, True)
        piece = active_piece(context)
        chosen, others = 0, []
        if piece is not None and level is not None:
            edited: dict[Any, Any] = {obj.data: obj for obj in objects}
            for mesh, obj in level_meshes(level):
                faces = faces_showing(mesh, piece)
                if mesh in edited:
                    chosen += len(faces)
                    select_faces(mesh, set(faces.tolist()))
                elif len(faces):
                    others.append(obj.name)
        mode.enter_again()
        if piece is None:
            report_line(self, "WARNING", T("The active face shows no image"))
            return {"CANCELLED"}
        elsewhere = T(". Also in {others}", others=first_few(others, _NAMED)) if others else ""
        report_line(self, "INFO", T("Faces: {chosen}{elsewhere}", chosen=chosen, elsewhere=elsewhere))
        return {"FINISHED"}


def select_faces(mesh: Mesh, faces: set[int]) -> None:
    """Select only the given faces of a mesh, with their edges and vertices. Not for edit mode."""
    import bmesh

    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        for vertex in edited.verts:
            vertex.select = False
        edited.select_flush(False)
        for face in edited.faces:
            if face.index in faces and not face.hide:
                face.select_set(True)
        edited.to_mesh(mesh)
    finally:
        edited.free()


class PictureBrowser(FileBrowser, Operator):
    """Base of operators that open an image file, chosen in a file browser."""

    filter_glob: StringProperty(
        default="*.png;*.jpg;*.jpeg;*.tga;*.bmp;*.tif;*.tiff;*.webp", options={"HIDDEN"}
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        return browse(self, context)


class TOMB_RAIDER_OT_replace_texture(EditingTool, PieceTool, PictureBrowser):
    """Replace the texture of the active face with an image file, for all faces that show it"""

    bl_idname = "tomb_raider.replace_texture"
    bl_label = "Replace Texture"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.texture_regions import faces_showing, level_meshes, replace_piece
        from ...scene.core import first_few

        level = level_of(context.object)
        # Undo of edit mode does not cover images, so the user stays in object mode.
        UserMode(context).leave()
        piece = active_piece(context)
        if piece is None or level is None:
            report_line(self, "WARNING", T("The active face shows no image"))
            return {"CANCELLED"}
        try:
            picture = bpy.data.images.load(bpy.path.abspath(self.filepath))
        except RuntimeError:
            report_line(
                self,
                "ERROR",
                T("{file} is no image that Blender can open", file=os.path.basename(self.filepath)),
            )
            return {"CANCELLED"}
        try:
            replace_piece(piece, picture)
        finally:
            bpy.data.images.remove(picture)
        counts = [(obj.name, len(faces_showing(mesh, piece))) for mesh, obj in level_meshes(level)]
        names = [name for name, count in counts if count]
        width, height = piece.size
        text = T(
            "{count} faces of {names} show it",
            count=sum(count for _, count in counts),
            names=first_few(names, _NAMED),
        )
        report_line(
            self,
            "INFO",
            T(
                "{text}, {width} by {height} pixels on {image}",
                text=text,
                width=width,
                height=height,
                image=piece.image.name,
            ),
        )
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_select_same_texture, TOMB_RAIDER_OT_replace_texture)
)
