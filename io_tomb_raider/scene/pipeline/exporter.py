"""Export of a level: sections that differ from the original are rebuilt, the others are copied."""

from __future__ import annotations

from bpy.types import Action, Collection

from ...formats import ExportError
from ..core import original
from ..core.context import ExportContext
from ..core.evaluated import refresh_places
from ..core.members import LevelObjects
from ..core.progress import Listener, Progress
from ..core.report import Report
from ..core.results import ExportedObject, ExportResult
from ..core.space import Space
from ..core.stored import check_level
from ..core.subjects import SUBJECTS, Kind
from ..subjects.animations.actions import export_actions
from ..subjects.bisect.exported_cuts import cut_pictures
from ..subjects.cameras.fixed import export_cameras, number_cameras
from ..subjects.collision.sectors import export_sectors
from ..subjects.entities.entities import export_entities
from ..subjects.floor.floor_data import FloorExport
from ..subjects.level.settings import export_level_settings
from ..subjects.meshes.shown import shown_meshes
from ..subjects.models.mesh_block import MeshExport, number_meshes
from ..subjects.models.models import export_models
from ..subjects.models.read import choose_models
from ..subjects.object_textures.faces import FaceResolver, FaceUser
from ..subjects.pathfinding.boxes import export_boxes
from ..subjects.portals.links import close_lost_ways
from ..subjects.rooms.numbers import renumber_records, start_rooms
from ..subjects.rooms.rooms import RoomExport
from ..subjects.rooms.stages import ReferenceNumbers, ReferenceStep, RoomStep, steps_of
from ..subjects.rooms.where import Whereabouts
from ..subjects.sprites.sprites import SpriteExport
from ..subjects.static_meshes.static_meshes import export_static_meshes
from ..subjects.textures.materials import MaterialKeys
from ..subjects.textures.pages import PageSet
from ..subjects.textures.unwritten import tell_of_materials
from ..subjects.triggers.triggers import export_triggers
from .unsupported_settings import warn_of_settings
from .unwritten_objects import warn_of_unwritten_objects

_STEPS = 16  # including the subjects with their own steps
# Subjects without placed objects: libraries, display objects, and objects that are animated anyway.
_NOT_PLACED = frozenset({"MODELS", "STATIC_MESHES", "PATHFINDING", "CINEMATIC", "SKY"})
_PLACED = frozenset(
    kind.identifier
    for subject in SUBJECTS
    if subject.identifier not in _NOT_PLACED
    for kind in subject.objects
) - {Kind.SPRITE_TEXTURE}


def export_level(
    root: Collection,
    *,
    rebuild: bool = False,
    bake: bool = True,
    apply_modifiers: bool = True,
    is_checked: bool = False,
    report: Report | None = None,
    listener: Listener | None = None,
) -> ExportResult:
    """Export a level's collection as a level in memory.

    An export only reads: it adds, removes and changes no data-block. Objects that
    :func:`~..transfer.adoption.reconcile.reconcile` has not claimed yet belong to no level.

    Args:
        root: the root collection of the level.
        rebuild: ignore the original wherever the scene can express an object.
        bake: write poses as constraints and drivers of bones evaluate them.
        apply_modifiers: write meshes with modifiers and shape keys, as in the viewport.
        is_checked: the level is checked afterwards, which reports portals without a twin.
        report: collects warnings, even if the export fails; a new one by default.
        listener: called at the start of every step.

    Raises:
        ExportError: if the game cannot hold something of the scene.
        FormatError: if the original is damaged.
    """
    progress = Progress(listener, _STEPS)
    check_level(root)
    progress("Original")
    report = Report() if report is None else report
    decoded = original.load(root)
    if decoded is None:
        raise ExportError(root.name, "the collection carries no level: import one first")
    objects = LevelObjects(root)
    refresh_places(objects.of(_PLACED), report)
    with (
        shown_meshes(objects, report, apply=apply_modifiers) as shown,
        cut_pictures(objects, shown),
    ):
        context = ExportContext(
            root=root,
            decoded=decoded,
            level=decoded.level.copy(),
            space=Space.of(root),
            report=report,
            level_objects=objects,
            rebuild=rebuild,
            bake=bake,
            is_checked=is_checked,
            shown=shown,
        )
        return _export(context, progress)


def _export(context: ExportContext, progress: Progress) -> ExportResult:
    root = context.root
    animations: dict[Action, int] = {}
    written: dict[tuple[str, int], ExportedObject] = {}
    material_keys = MaterialKeys(root)
    pages = PageSet(context, material_keys)
    if context.level.has("models"):
        animations, written = _export_world(context, pages, material_keys, progress)
    progress("Texture Pages")
    pages.write(context.level)
    export_level_settings(context)
    warn_of_unwritten_objects(context)
    warn_of_settings(context)
    tell_of_materials(context, material_keys)
    return ExportResult(context.level, context.report, context.rebuilt, animations, written)


def _export_world(
    context: ExportContext, pages: PageSet, material_keys: MaterialKeys, progress: Progress
) -> tuple[dict[Action, int], dict[tuple[str, int], ExportedObject]]:
    """Export everything but pages and settings. Return the numbers of actions, and the rooms and entities."""
    progress("Rooms and Meshes")
    plan = start_rooms(context)
    model_plan = choose_models(context)
    mesh_numbers = number_meshes(context, model_plan)
    meshes, rooms = MeshExport(context, mesh_numbers), RoomExport(context, plan)
    sprites = SpriteExport(context)
    users: list[FaceUser] = [meshes, rooms, sprites]
    progress("Textures")
    resolved = FaceResolver(context, pages, material_keys).resolve(users)
    where = rooms.finish(resolved)
    renumber_records(context, where)
    progress("Models")
    models = export_models(context, model_plan, mesh_numbers)
    pointers = export_static_meshes(context, mesh_numbers.of, models.pointers)
    meshes.finish(resolved, pointers)
    progress("Animations")
    animations = export_actions(context, models.rigs)
    imported = context.root.tomb_raider.imported
    in_scene = {each.identifier for each in SUBJECTS if each.is_in(context.level)} & imported
    for subject, in_rooms in steps_of(RoomStep):
        if in_rooms.write is not None and subject.identifier in in_scene:
            progress(subject.label)
            in_rooms.write(context, where)
    sprites.finish(resolved, where)
    progress("Entities")
    references = ReferenceNumbers(export_entities(context, where), number_cameras(context))
    for subject, referring in steps_of(ReferenceStep):
        if referring.write is not None and subject.identifier in in_scene:
            progress(subject.label)
            referring.write(context, where, references)
    progress("Collision and Triggers")
    _export_floor(context, where, references)
    return animations, _written(where, references)


def _written(where: Whereabouts, references: ReferenceNumbers) -> dict[tuple[str, int], ExportedObject]:
    """Return the exported rooms and entities by kind and number, to name them in findings."""
    plan, written = where.plan, dict[tuple[str, int], ExportedObject]()
    for number, source in enumerate(plan.sources):
        is_copy = plan.number(source) != number
        written["room", number] = ExportedObject(plan.name(number), -1 if is_copy else source)
    sources = {int(new): old for old, new in enumerate(references.entities.map.tolist())}
    for obj, number in references.entities.of.items():
        written["entity", number] = ExportedObject(obj.name, sources.get(number, -1))
    return written


def _export_floor(context: ExportContext, where: Whereabouts, references: ReferenceNumbers) -> None:
    """Export the floor data, and the sections that depend on it."""
    entities, cameras = references
    floor = FloorExport(context, where.plan.map, entities.map, cameras.map)
    export_sectors(context, where, floor)
    close_lost_ways(context, where, floor)
    export_triggers(context, where, floor, entities, cameras)
    floor.finish()
    has_new_boxes = export_boxes(context, where, floor)
    export_cameras(context, where, has_new_boxes=has_new_boxes)
