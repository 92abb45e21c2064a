"""Projects of level editors: Tomb Editor's `.prj2`, and the old room editor's `.prj`."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .compile.compile import compile_project, compile_steps
    from .compile.compiled import Compiled, Origin
    from .compile.plan.log import Log, LogLine
    from .compile.plan.paths import MissingFile, ProjectPaths, moved_folder
    from .compile.plan.plan import TARGETS, CompileTarget, target_of
    from .compile.plan.resources import (
        ADDITIVE_MATERIALS,
        DOUBLE_SIDED_MATERIALS,
        LoadImage,
        ModelArrays,
        Resources,
        join_models,
        load_obj,
        missing_files,
        paths_of,
    )
    from .compile.rooms.imported import ImportedFaces
    from .compile.rooms.metasequoia import load_mqo
    from .files import PROJECT2, PROJECT_SUFFIXES, content, read_any_project
    from .from_level.from_level import ENDINGS, FOLDER, RoomReport, project_of
    from .geometry.faces import CEILINGS, FLOORS, Faces
    from .geometry.walls import CEILING_SIDE, FLOOR_SIDE, SIDES
    from .model.objects import ImportedGeometry, Sink, UnknownObject
    from .model.prj2 import version_of
    from .model.project import Project, read_project
    from .model.readable import readable
    from .model.rooms import ProjectRoom
    from .model.settings import GameVersion, Settings
    from .model.shape import Face, SectorSide
    from .prj.prj import is_prj
    from .property_catalog import CatalogProperty, find_property_catalogs, read_property_catalogs
    from .update.edited_rooms import CompiledProject, EditedRoom
    from .update.face_rows import FaceRows
    from .update.imported import PlacedModel, linear_of
    from .update.origin import pack_origin, unpack_origin
    from .update.sources import UNKNOWN, Sources
    from .update.state import Updated
    from .update.update import update_project
else:
    __getattr__ = lazy_exports(__name__)
