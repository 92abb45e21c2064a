"""Export of a level: sections that differ from the original are rebuilt, the others are copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from bpy.types import Collection, Mesh
from numpy.typing import NDArray

from ...formats import ExportError
from ...formats.base import OBJECT_TEXTURE_RECORD, T, Target
from ...formats.editors.wads import WAD2, Wad2Extras
from ...formats.edits.checks import check_originals
from ...formats.edits.injections import check_block
from ...formats.edits.rules import STATIC_MESHES, check_limits
from ...formats.levels.models import has_order, sort_models
from ...formats.levels.views import Decoded, Element, Severity
from ..core import original
from ..core.blender.evaluated import refresh_places
from ..core.context import Bake, ExportContext
from ..core.hooks import Hooks
from ..core.membership import LevelObjects
from ..core.reporting.progress import Listener, Progress
from ..core.reporting.report import Report
from ..core.reporting.results import ExportedObject, ExportResult
from ..core.space import Space
from ..core.stages import CAMERA_NUMBERS, ENTITY_NUMBERS, ExportStage, products_cleared, run_export
from ..core.stored import check_level
from ..core.subjects import SUBJECTS, Kind
from ..subjects.animations.actions import ANIMATION_EXTRAS, ANIMATION_NUMBERS
from ..subjects.bisect.exported_cuts import cut_pictures
from ..subjects.floor.floor_data import FLOOR, FloorExport
from ..subjects.injections.block import export_block
from ..subjects.level.settings import export_level_settings, texture_paths
from ..subjects.meshes.shown import shown_meshes
from ..subjects.models.steps import MESH_EXPORT
from ..subjects.object_textures.faces import FACE_USERS, RESOLVED, FaceResolver
from ..subjects.rooms.imported import PARTS
from ..subjects.rooms.location.where import WHEREABOUTS
from ..subjects.skins.skins import SKINS
from ..subjects.textures.materials import MaterialKeys
from ..subjects.textures.pages import PageSet
from ..subjects.textures.unwritten import warn_of_materials
from .rooms_apart import warn_of_rooms_apart
from .unsupported_settings import warn_of_settings
from .unwritten_objects import warn_of_unwritten_objects

_STAGES = tuple(ExportStage)
_FACES = _STAGES[: _STAGES.index(ExportStage.FACES) + 1]
_AFTER_FACES = _STAGES[len(_FACES) :]
_STEPS = 28  # including those of the subjects
# Subjects without placed objects: libraries, display objects, and objects that are animated anyway.
_NOT_PLACED = frozenset({"MODELS", "SKINS", "STATIC_MESHES", "PATHFINDING", "CINEMATIC", "SKY"})
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
    bake: Bake = Bake.IN_USE,
    apply_modifiers: bool = True,
    is_checked: bool = False,
    with_hooks: bool = False,
    with_skins: bool = True,
    report: Report | None = None,
    listener: Listener | None = None,
) -> ExportResult:
    """Export a level's collection as a level in memory.

    An export only reads: it adds, removes and changes no data-block. Objects that
    :func:`~..transfer.adoption.reconciling.reconcile` has not claimed yet belong to no level.

    Args:
        rebuild: ignore the original wherever the scene can express an object.
        bake: the actions that are written as constraints and drivers pose them.
        apply_modifiers: write meshes with modifiers and shape keys, as in the viewport.
        is_checked: the level is checked afterwards, which reports portals without a twin.
        with_hooks: call the hooks of other add-ons, see :mod:`..core.hooks`.
        with_skins: the file can hold skins, which only a WAD2 can; others get a warning.
        report: collects warnings, even if the export fails; a new one by default.

    Raises:
        ExportError: if the game cannot hold something of the scene.
        FormatError: if the original is damaged.
    """
    progress = Progress(listener, _STEPS)
    started = _started(
        root,
        progress,
        Report() if report is None else report,
        rebuild=rebuild,
        bake=bake,
        apply_modifiers=apply_modifiers,
        is_checked=is_checked,
        with_hooks=with_hooks,
        with_skins=with_skins,
    )
    with started as (context, hooks):
        return _export(context, progress, hooks)


def exported_object_textures(root: Collection) -> NDArray[np.void]:
    """Return the object textures that an export would write. The export ends as soon as they are known.

    Raises:
        ExportError, FormatError: see :func:`export_level`.
    """
    progress = Progress(None, _STEPS)
    with _started(root, progress, Report()) as (context, _):
        if context.level.has("models"):
            _export_faces(context, progress)
        level = context.level
        if level.has("object_textures"):
            return level.object_textures
        return np.zeros(0, OBJECT_TEXTURE_RECORD[level.game])


@contextmanager
def _started(
    root: Collection,
    progress: Progress,
    report: Report,
    *,
    rebuild: bool = False,
    bake: Bake = Bake.IN_USE,
    apply_modifiers: bool = True,
    is_checked: bool = False,
    with_hooks: bool = False,
    with_skins: bool = True,
) -> Iterator[tuple[ExportContext, Hooks]]:
    """Yield the context and the hooks of an export, see :func:`export_level`."""
    check_level(root)
    progress(T("Original"))
    decoded = original.load(root)
    if decoded is None:
        raise ExportError(root.name, T("the collection is not a level: import one first"))
    objects, hooks = LevelObjects(root), Hooks(report, wanted=with_hooks)
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
            with_skins=with_skins,
            shown=shown,
        )
        hooks.before_export(context)
        with products_cleared(context):
            yield context, hooks


def _export_faces(context: ExportContext, progress: Progress) -> tuple[PageSet, MaterialKeys]:
    """Run the stages up to that of faces, and find the textures of all faces."""
    material_keys = MaterialKeys(context.root)
    pages = PageSet(context, material_keys)
    for stage in _FACES:
        run_export(context, stage, progress)
    progress(T("Textures"))
    resolver = FaceResolver(context, pages, material_keys)
    RESOLVED.set(context, resolver.resolve(FACE_USERS.of(context)))
    return pages, material_keys


def _export(context: ExportContext, progress: Progress, hooks: Hooks) -> ExportResult:
    has_world = context.level.has("models")
    if has_world:
        pages, material_keys = _export_faces(context, progress)
        for stage in _AFTER_FACES:
            run_export(context, stage, progress)
            if stage == ExportStage.REFERENCES:
                numbers = ENTITY_NUMBERS.of(context).map, CAMERA_NUMBERS.of(context).map
                FLOOR.set(context, FloorExport(context, WHEREABOUTS.of(context).plan.map, *numbers))
            elif stage == ExportStage.FUNCTIONS:
                FLOOR.of(context).finish()
    else:
        material_keys = MaterialKeys(context.root)
        pages = PageSet(context, material_keys)
    extras = _extras(context) if has_world else None
    progress(T("Texture Pages"))
    pages.write(context.level)
    export_level_settings(context)
    if context.engine is Target.TRX and context.level.unprotect():
        context.rebuilt.count("level settings")
    edits = export_block(context) if has_world else None
    warn_of_unwritten_objects(context)
    warn_of_settings(context)
    warn_of_materials(context, material_keys)
    hooks.after_export(context)
    if has_world:
        check_exported(context)
    exported = _exported(context) if has_world else {}
    if not context.is_checked:
        warn_of_rooms_apart(context, exported)
        context.report.forget({(each.subject, each.text) for each in context.root.tomb_raider.known_findings})
    parts = tuple(PARTS.of(context))
    return ExportResult(
        level=context.level,
        report=context.report,
        rebuilt=context.rebuilt,
        animations=dict(ANIMATION_NUMBERS.of(context)),
        written=exported,
        edits=edits,
        parts=parts,
        places=context.places,
        extras=extras,
    )


def _extras(context: ExportContext) -> Wad2Extras | None:
    """Sort models by id, as readers require, if those of the file are; return what levels lack."""
    level, pointers = context.level, MESH_EXPORT.of(context).pointers
    models: Sequence[int] = range(len(level.models))
    entries: Sequence[int] = range(len(level.mesh_pointers))
    if not has_order(level.models) and has_order(context.original.models):
        numbers = sort_models(level)
        models, entries = numbers.models.tolist(), numbers.pointers.tolist()
        for obj, place in list(context.places.items()):
            if place.section == "models":
                context.places[obj] = place._replace(number=models[place.number])
    if original.packed_file(context.root, WAD2) and not context.root.tomb_raider.level.has_extras:
        return None
    edits = SKINS.of(context).items()
    return Wad2Extras(
        {(models[model], each): extras for (model, each), extras in ANIMATION_EXTRAS.of(context).items()},
        {
            entries[pointer]: obj.data.tomb_raider.is_hidden
            for obj, pointer in pointers.items()
            if isinstance(obj.data, Mesh)
        },
        {models[model]: edit and edit._replace(pointer=entries[edit.pointer]) for model, edit in edits},
        texture_paths(context),
    )


def _exported(context: ExportContext) -> dict[tuple[str, int], ExportedObject]:
    """Return the exported rooms, entities and cameras by kind and number, to name them in findings."""
    plan = WHEREABOUTS.of(context).plan
    exported: dict[tuple[str, int], ExportedObject] = {}
    for number, source in enumerate(plan.sources):
        is_copy = plan.number(source) != number
        exported["room", number] = ExportedObject(plan.name(number), -1 if is_copy else source)
    for kind, numbers in (("entity", ENTITY_NUMBERS.of(context)), ("camera", CAMERA_NUMBERS.of(context))):
        sources = {int(new): old for old, new in enumerate(numbers.map.tolist())}
        for obj, number in numbers.of.items():
            exported[kind, number] = ExportedObject(obj.name, sources.get(number, -1))
    return exported


# --- Limits ----------------------------------------


def check_exported(context: ExportContext) -> None:
    """Warn of numbers of elements that the target has no room for, unless the original has as many.

    Raises:
        ExportError: if the target refuses such a level.
    """
    plan = WHEREABOUTS.of(context).plan
    entities = {number: obj.name for obj, number in ENTITY_NUMBERS.of(context).of.items()}
    models = {obj.tomb_raider.model.id: obj.name for obj in context.level_objects.of({Kind.MODEL})}
    exported = Decoded(context.level, context.engine)
    before = [*check_limits(context.decoded), *check_block(context.decoded)]
    original_counts = {(each.check, each.obj): each.count for each in before}
    for finding in (*check_limits(exported), *check_originals(exported), *check_block(exported)):
        obj, name = finding.obj, context.root.name
        if obj.kind == "room" and 0 <= obj.number < len(plan.sources):
            name, obj = plan.name(obj.number), Element(obj.kind, plan.sources[obj.number])
        elif obj.kind == "entity":
            name = entities.get(obj.number, name)
        elif obj.kind == "model":
            name = models.get(obj.number, name)
        is_old = finding.count <= original_counts.get((finding.check, obj), 0)
        if is_old or finding.severity is Severity.INFO:
            continue
        if finding.severity is Severity.ERROR:
            raise ExportError(name, finding.text)
        if finding.check != STATIC_MESHES:  # their export names each
            context.report.warn(name, finding.text)
