"""The steps of models in imports and exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpy.types import Collection

from ...core.context import ExportContext, ImportContext
from ...core.stages import SHOWN, ExportStage, ImportStage, Product, Steps
from ..meshes.arrays import MESHES
from ..object_textures.faces import FACE_USERS
from .build import ModelSkeleton
from .figures import import_figures, pose_figures
from .mesh_block import MeshExport, MeshNumbers, number_meshes
from .models import WrittenModels, export_models, import_armatures, import_models
from .read import ModelPlan, choose_models

# Of an import.
SKELETONS: Product[Sequence[ModelSkeleton]] = Product("SKELETONS", tuple)
_FIGURES: Product[Mapping[int, Collection]] = Product("_FIGURES", dict)
# Of an export.
MESH_NUMBERS: Product[MeshNumbers] = Product("MESH_NUMBERS")
MESH_EXPORT: Product[MeshExport] = Product("MESH_EXPORT")
WRITTEN_MODELS: Product[WrittenModels] = Product("WRITTEN_MODELS")
_PLAN: Product[ModelPlan] = Product("_PLAN")


def _import(context: ImportContext) -> None:
    skeletons = SKELETONS.of(context)
    library = import_models(context, skeletons, MESHES.of(context))
    figures = import_figures(context, skeletons, library)
    _FIGURES.set(context, figures)
    SHOWN.set(context, library.collections | figures)


def _plan(context: ExportContext) -> None:
    plan = choose_models(context)
    numbers = number_meshes(context, plan)
    export = MeshExport(context, numbers)
    _PLAN.set(context, plan)
    MESH_NUMBERS.set(context, numbers)
    MESH_EXPORT.set(context, export)
    FACE_USERS.of(context).append(export)  # before rooms: new textures are numbered in this order


def _export(context: ExportContext) -> None:
    WRITTEN_MODELS.set(context, export_models(context, _PLAN.of(context), MESH_NUMBERS.of(context)))


STEPS = Steps(
    {
        ImportStage.ARMATURES: lambda context: SKELETONS.set(context, import_armatures(context)),
        ImportStage.LIBRARY: _import,
        ImportStage.LAST: lambda context: pose_figures(_FIGURES.of(context).values()),
    },
    {ExportStage.PLAN: _plan, ExportStage.GEOMETRY: _export},
)
