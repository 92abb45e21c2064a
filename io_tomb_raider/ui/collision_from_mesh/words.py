"""Reports on collision that was read from a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Operator

from ..base.reports import report_line

if TYPE_CHECKING:
    from ...scene.authoring.collision_from_mesh.make import CollisionReport


def storey_setting() -> object:
    """Declare the property for the storey of a mesh from which collision is read."""
    return IntProperty(
        name="Storey",
        min=0,
        max=15,
        description="Storey of the mesh to read where several are above one another: 0 is the lowest",
        options={"SKIP_SAVE"},
    )


def report_fit(operator: Operator, found: CollisionReport) -> None:
    """Report the result of reading collision from a mesh, followed by possible mistakes."""
    text = f"Sectors with a floor: {found.sectors}"
    if found.rounded:
        text += f". Rounded: {found.rounded}, by up to {found.most:.0f} units, {found.mean:.0f} on average"
    if found.without_ceiling:
        text += f". Without a ceiling, so as high as the mesh: {found.without_ceiling}"
    report_line(operator, "INFO", text)
    report_doubts(operator, found)


def report_doubts(operator: Operator, found: CollisionReport) -> None:
    """Report results that users may not have intended."""
    if found.storeys:
        x, z = found.place
        text = f"Sectors with several storeys: {found.storeys}, as at {x}, {z}. Collision knows one of them"
        report_line(operator, "WARNING", f"{text}: choose another by Storey, or make rooms of the others")
    if found.inside_out:
        text = "The faces look outwards, so the game shows none of them from within"
        report_line(operator, "WARNING", f"{text}: flip their normals in edit mode (Mesh > Normals > Flip)")
    if found.turned:
        report_line(operator, "INFO", "Its faces looked outwards: they were turned, to be seen from within")
    if found.long:
        report_line(operator, "WARNING", f"It is {found.long} sectors long, more than the 32 that are safe")
    if found.applied:
        report_line(
            operator, "INFO", "Its modifiers were applied: they would show something else in its new place"
        )
