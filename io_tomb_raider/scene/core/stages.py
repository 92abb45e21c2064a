"""Stages of imports and exports, and the products that subjects hand on from one stage to the next.

Importer and exporter run through the stages, and in each through the subjects in their order. A subject
registers its steps in a constant ``STEPS`` of the module that :mod:`.subjects` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from bpy.types import Collection, Mesh, Object

from ...formats.base import as_message
from .context import ExportContext, ImportContext
from .order import Numbers
from .reporting.progress import Progress, Work
from .subjects import SUBJECTS, Subject

_Value = TypeVar("_Value")


class _HasProducts(Protocol):
    @property
    def products(self) -> dict[Any, Any]: ...


class Product(Generic[_Value]):
    """A value that one subject makes in an import or export and others use: a typed key of ``products``.

    Declare the type as an annotation, not as ``Product[...](...)``: typing caches subscripted classes, and
    Blender 4.2 crashes at exit while such a cache holds one of its types.
    """

    def __init__(self, name: str, default: Callable[[], _Value] | None = None) -> None:
        """Declare a product.

        Args:
            default: makes the value where nothing has set one, as when it is not imported.
        """
        self._name, self._default = name, default

    def set(self, context: _HasProducts, value: _Value) -> None:
        """Hand the value on."""
        context.products[self] = value

    def of(self, context: _HasProducts) -> _Value:
        """Return the value. Raises KeyError where no earlier step has set it, and it has no default."""
        if self not in context.products:
            if self._default is None:
                raise KeyError(self._name)
            context.products[self] = self._default()
        value: _Value = context.products[self]
        return value


@dataclass(frozen=True)
class RoomObjects:
    """The rooms of one import."""

    objects: Sequence[Object] = ()  #: by number; none where rooms are not imported.
    collections: Sequence[Collection] = ()  #: by number, those that the rooms' objects stand in.

    def get(self, number: int) -> Object | None:
        """Return the object of a room, or None where there is none."""
        return self.objects[number] if 0 <= number < len(self.objects) else None


@contextmanager
def products_cleared(context: _HasProducts) -> Iterator[None]:
    """Clear the products of a context at the end of this block.

    Products may refer to the context: such a circle would keep arrays and references to data-blocks.
    """
    try:
        yield
    finally:
        context.products.clear()


# Of an import, by number or id; empty where it is not imported.
ROOMS: Product[RoomObjects] = Product("ROOMS", RoomObjects)
SHOWN: Product[Mapping[int, Collection]] = Product("SHOWN", dict)
STATIC_MESHES: Product[Mapping[int, Object]] = Product("STATIC_MESHES", dict)
SPRITE_QUADS: Product[Mapping[int, Mesh]] = Product("SPRITE_QUADS", dict)
ENTITIES: Product[Sequence[Object]] = Product("ENTITIES", tuple)
CAMERAS: Product[Sequence[Object]] = Product("CAMERAS", tuple)
FLYBYS: Product[Sequence[Object]] = Product("FLYBYS", tuple)
# Of an export.
ENTITY_NUMBERS: Product[Numbers] = Product("ENTITY_NUMBERS")
CAMERA_NUMBERS: Product[Numbers] = Product("CAMERA_NUMBERS")


class ImportStage(Enum):
    """The stages of an import, in their order."""

    ARMATURES = auto()  # first: the rest of a level would slow them down
    TEXTURES = auto()  # images exist, materials do not
    LIBRARY = auto()  # rooms, models, static meshes and sprites
    IN_ROOMS = auto()
    TARGETS = auto()  # objects that others refer to by number
    REFERENCES = auto()
    ANIMATIONS = auto()
    LAST = auto()


class ExportStage(Enum):
    """The stages of an export, in their order."""

    PLAN = auto()  # which rooms, models and meshes are exported, under which numbers
    FACES = auto()  # all faces are collected, and get their textures at once after this stage
    GEOMETRY = auto()
    IN_ROOMS = auto()
    TARGETS = auto()  # objects that others refer to get their numbers
    REFERENCES = auto()
    SECTORS = auto()
    FUNCTIONS = auto()  # the floor data is written after this stage
    BOXES = auto()
    LAST = auto()


# Steps of these run only for subjects that were imported: the others export what was not imported as it was.
_OF_IMPORTED = frozenset({ExportStage.IN_ROOMS, ExportStage.REFERENCES})


class Steps(NamedTuple):
    """The steps of a subject in imports and exports, by stage."""

    imports: Mapping[ImportStage, Callable[[ImportContext], None]] = {}
    exports: Mapping[ExportStage, Callable[[ExportContext], None]] = {}


def steps() -> Iterator[tuple[Subject, Steps]]:
    """Yield all subjects with their steps, in their order."""
    for subject in SUBJECTS:
        yield subject, import_module(f"..{subject.module}", __package__).STEPS


def import_stage(context: ImportContext, stage: ImportStage, progress: Progress) -> Work[None]:
    """Run a stage of an import for all subjects that are wanted and that the level has."""
    for subject, each in steps():
        is_wanted = all(getattr(context.options, name) for name in subject.options)
        if stage in each.imports and is_wanted and subject.is_in(context.level):
            yield progress(as_message(subject.label))
            each.imports[stage](context)


def run_export(context: ExportContext, stage: ExportStage, progress: Progress) -> None:
    """Run a stage of an export for all subjects."""
    imported = context.root.tomb_raider.imported
    for subject, each in steps():
        is_in_scene = subject.identifier in imported and subject.is_in(context.level)
        if stage in each.exports and (is_in_scene or stage not in _OF_IMPORTED):
            progress(as_message(subject.label))
            each.exports[stage](context)
