"""Reports on collision that was read from a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Operator

from ...formats.base import T
from ..base.reports import report_line

if TYPE_CHECKING:
    from ...scene.authoring.collision_from_mesh import CollisionReport


def storey_setting() -> object:
    """Declare the property for the storey of a mesh from which collision is read."""
    return IntProperty(
        name="Storey",
        min=0,
        max=15,
        description="Storey of the mesh to read where several are above one another: 0 is the lowest",
        options={"SKIP_SAVE"},
    )


def report_fit(operator: Operator, fit: CollisionReport) -> None:
    """Report the result of reading collision from a mesh, followed by possible mistakes."""
    text = T("Sectors with a floor: {sectors}", sectors=fit.sectors)
    if fit.rounded:
        text += T(
            ". Rounded: {rounded}, by up to {most:.0f} units, {mean:.0f} on average",
            rounded=fit.rounded,
            most=fit.most,
            mean=fit.mean,
        )
    if fit.without_ceiling:
        text += T(
            ". Without a ceiling, so as high as the mesh: {without_ceiling}",
            without_ceiling=fit.without_ceiling,
        )
    report_line(operator, "INFO", text)
    report_doubts(operator, fit)


def report_doubts(operator: Operator, fit: CollisionReport) -> None:
    """Report results that users may not have intended."""
    if fit.storeys:
        x, z = fit.place
        text = T(
            "Sectors with several storeys: {storeys}, as at {x}, {z}. Collision uses one of them",
            storeys=fit.storeys,
            x=x,
            z=z,
        )
        report_line(
            operator, "WARNING", T("{text}: choose another by Storey, or make rooms of the others", text=text)
        )
    if fit.inside_out:
        text = T("The faces point outward, so the game shows none of them from inside")
        report_line(
            operator,
            "WARNING",
            T("{text}: flip their normals in Edit Mode (Mesh > Normals > Flip)", text=text),
        )
    if fit.turned:
        report_line(
            operator, "INFO", T("Its faces pointed outward, and were flipped to be visible from inside")
        )
    if fit.long:
        report_line(
            operator,
            "WARNING",
            T("It is {long} sectors long, more than the safe maximum of 32", long=fit.long),
        )
    if fit.applied:
        report_line(
            operator,
            "INFO",
            T("Its modifiers were applied, because their result would change with its new place"),
        )
