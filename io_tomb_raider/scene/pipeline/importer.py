"""Import of a level into a scene: everything is decoded first, then all subjects are imported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Collection

from ...catalogue import Catalogue, names
from ...formats import Game, Level, read_level
from ...formats.base import T, Target, read_file
from ...formats.editors.wads import Wad2Level, is_object_file, lua_properties, open_objects, read_files
from ...formats.edits.rules import shown_target
from ...formats.levels.views import Decoded
from ..core import original
from ..core.blender.cleanup import undone_on_failure
from ..core.blender.handler_suspension import handlers_suspended
from ..core.context import ImportContext, ImportOptions
from ..core.hooks import Hooks
from ..core.level_uid import assign_level_uid
from ..core.level_visibility import show_part
from ..core.membership import LevelObjects
from ..core.reporting.progress import Listener, Progress, Work, finish
from ..core.reporting.report import Report, printable
from ..core.space import Space
from ..core.stages import ImportStage, import_stage, products_cleared
from ..core.subjects import SUBJECTS, Kind
from ..subjects.collision.level import level_collision
from ..subjects.injections.block import import_block, import_edits
from ..subjects.injections.properties import LuaProperties, import_properties, lua_keys, show_lua
from ..subjects.level.names import (
    catalogue_with,
    find_names,
    find_slots,
    names_of_objects,
    note_relations,
    note_slots,
)
from ..subjects.level.settings import import_level_settings, import_texture_paths
from ..subjects.level.texture_materials import read_materials, show_materials
from ..subjects.lights.object_lighting import light_level
from ..subjects.meshes.arrays import MESH_ARRAYS, MESHES, ROOM_ARRAYS, MeshArrays
from ..subjects.models.mesh_block import import_meshes, mesh_arrays
from ..subjects.object_textures.view import TextureView
from ..subjects.rooms.arrays import rooms_arrays
from ..subjects.rooms.flipping import show_flipped
from ..subjects.script.gameflow import find_flow, show_flow
from ..subjects.script.script import show_commands
from ..subjects.sky.layers import note_sky
from ..subjects.sprites.sprites import sprite_keys
from ..subjects.textures.materials import IMAGES, MATERIALS, import_materials
from ..subjects.textures.pages import import_images
from ..upgrades.versions import DATA_VERSION
from .beside import place_next_to_levels
from .start_up import set_up

_STEPS = 28  # including those of the subjects
# The stages that use materials and meshes.
_STAGES = list(ImportStage)[list(ImportStage).index(ImportStage.LIBRARY) :]
# The subject of each kind of main collection.
_HOMES = {subject.collections[0].identifier: subject for subject in SUBJECTS if subject.collections}


def import_level(
    source: str | os.PathLike[str] | bytes,
    options: ImportOptions | None = None,
    name: str = "Level",
    *,
    with_hooks: bool = False,
    listener: Listener | None = None,
) -> ImportContext:
    """Import a level into the current scene.

    Args:
        source: a level or object file (WAD, with its sprites next to it), or the bytes of a level.
        name: the level's name if it is given as bytes; otherwise it is the file's name.
        with_hooks: call the hooks of other add-ons, see :mod:`..core.hooks`.

    Raises:
        FormatError: if it is no level, or damaged. The scene is then unchanged.
        OSError: if the file cannot be read.
    """
    return finish(import_steps(source, options, name, with_hooks=with_hooks), listener)


def import_steps(
    source: str | os.PathLike[str] | bytes,
    options: ImportOptions | None = None,
    name: str = "Level",
    *,
    with_hooks: bool = False,
) -> Work[ImportContext]:
    """Import a level step by step, see :func:`import_level`. The scene is unchanged if it is not finished."""
    options = options or ImportOptions()
    path, files, catalogue, wad2 = None, {}, None, None
    lua: dict[tuple[str, int], LuaProperties] = {}
    if not isinstance(source, bytes):
        path = Path(source)
        name = printable(path.name)
        if is_object_file(path):
            files = read_files(path)
            objects = open_objects(files)
            source, catalogue = objects.level.to_bytes(), names_of_objects(objects.names)
            lua = {} if objects.wad2 is None else lua_properties(objects.wad2.wad2)
            wad2 = objects.wad2
        else:
            source = read_file(source)
    progress = Progress(None, _STEPS)
    yield progress(T("Reading"))
    prepared = _Prepared(read_level(source, name=name), source, options)
    with undone_on_failure(), handlers_suspended():
        importer = _Importer(prepared, options, name, path, progress, catalogue, wad2, with_hooks=with_hooks)
        context = yield from importer.run(name)
        if files:
            original.store_files(context.root, files)
            _show_lua(context.root, lua)
        return context


def _show_lua(root: Collection, properties: Mapping[tuple[str, int], LuaProperties]) -> None:
    """Show the properties of an object file on its models and static meshes."""
    for obj, key in lua_keys(root).items():
        show_lua(obj, properties.get(key, ()))


def start_level(
    game: Game,
    name: str,
    kit: Level | None = None,
    options: ImportOptions | None = None,
    *,
    listener: Listener | None = None,
) -> ImportContext:
    """Create a level that comes from no file in the current scene.

    Args:
        kit: a level of that game without rooms, whose library the new level starts with.

    Raises:
        FormatError: if the kit is damaged.
    """
    options = options or ImportOptions()
    progress = Progress(listener, _STEPS)
    progress(T("Reading"))
    # An empty level is not stored.
    source = b"" if kit is None else kit.to_bytes()
    level = Level.empty(game) if kit is None else read_level(source)
    prepared = _Prepared(level, source, options)
    with undone_on_failure(), handlers_suspended():
        return finish(_Importer(prepared, options, printable(name), None, progress).run(""))


class _Prepared:
    """The parts of an import that need no Blender."""

    def __init__(self, level: Level, source: bytes, options: ImportOptions) -> None:
        self.decoded = Decoded(level)
        self.has_world = level.has("models")
        self.space = Space(float(np.float32(options.scale)))  # as the level keeps it, for exports
        self.mesh_data: list[MeshArrays] = []
        self.room_data: list[MeshArrays] = []
        self.kept = original.kept(source)
        self.textures = TextureView(level)
        if self.has_world:
            self._decode(options)

    def _decode(self, options: ImportOptions) -> None:
        level, meshes = self.decoded.level, self.decoded.meshes.meshes
        if options.models or options.static_meshes:
            self.mesh_data = mesh_arrays(level.game, meshes, self.textures, self.space)
        if options.rooms:
            self.room_data = rooms_arrays(level, level.rooms, self.textures, self.space)
        MeshArrays.prepare_slots([*self.mesh_data, *self.room_data])
        # Find damage before anything is created. Errors of mesh trees are clearer than those of key frames.
        if options.rooms and options.collision:
            self.decoded.once(level_collision)
        if options.models:
            _ = self.decoded.mesh_trees
            if options.animations:
                _ = self.decoded.keys


class _Importer:
    """One import, from the decoded level to the linked collection."""

    def __init__(
        self,
        prepared: _Prepared,
        options: ImportOptions,
        name: str,
        path: Path | None,
        progress: Progress,
        catalogue: Catalogue | None = None,
        wad2: Wad2Level | None = None,
        *,
        with_hooks: bool = False,
    ) -> None:
        self.prepared = prepared
        self.progress = progress
        self.level = prepared.decoded.level
        report = Report()
        script_path = path if options.names_from_script else None
        installed = partial(options.game_folder, self.level.game)
        self.script_names = find_names(self.level.game, script_path, options.script, report, installed)
        self.flow = find_flow(script_path, self.level.game, report)
        self.slots = find_slots(script_path, self.level.game, report)
        for_trx = shown_target(self.level) is Target.TRX
        slots = {**(names(self.level.game).known("trx") if for_trx else {}), **self.slots}
        self.context = ImportContext(
            decoded=prepared.decoded,
            names=(catalogue or catalogue_with(self.level.game, self.script_names)).with_slots(slots),
            options=options,
            space=prepared.space,
            root=bpy.data.collections.new(name),
            report=report,
            path=path,
            wad2=wad2,
        )
        self.hooks = Hooks(report, wanted=with_hooks)

    def run(self, source: str) -> Work[ImportContext]:
        """Import the level; ``source`` is the name of its file, or ""."""
        context = self.context
        _describe(context.root, self.level, context.options, source)
        context.root.tomb_raider.folder = "" if context.path is None else str(context.path.absolute().parent)
        context.root.tomb_raider.title = self.script_names.title if self.script_names is not None else ""
        if self.script_names is not None and self.script_names.fog is not None:
            context.root.tomb_raider.level.fog_color = [part / 255 for part in self.script_names.fog]
        if self.script_names is not None and self.script_names.sky is not None:
            note_sky(context.root, self.script_names.sky)
        note_slots(context.root, self.slots)
        path = context.path if context.options.names_from_script else None
        note_relations(
            context.root, path, context.report, partial(context.options.game_folder, self.level.game)
        )
        import_level_settings(context)
        import_texture_paths(context)
        read_materials(context.root, context.report)
        import_block(context)
        original.store(context.root, self.prepared.kept, self.prepared.decoded)
        self.hooks.before_import(context)
        if self.prepared.has_world:
            with products_cleared(context):
                yield from self._import_world()
        else:
            import_images(context)
        import_edits(context)
        objects = LevelObjects(context.root)
        bpy.context.scene.collection.children.link(context.root)
        _hide_parts(context.root, objects)
        light_level(context.root, objects, is_new=True)
        assign_level_uid(context.root, objects)
        if context.options.set_up_scene:
            set_up(bpy.context.scene, context.root, frames=context.options.set_up_frames)
        if (
            self.script_names is not None
            and self.script_names.commands is not None
            and self.prepared.has_world
        ):
            show_commands(context.root, self.script_names.commands)
        if self.flow is not None:
            show_flow(context.root, *self.flow)
        self.hooks.after_import(context)
        # Once, after all changes, since Blender updates the whole view layer.
        bpy.context.view_layer.update()
        return context

    def _import_world(self) -> Work[None]:
        context, prepared, progress = self.context, self.prepared, self.progress
        options = context.options
        yield from import_stage(context, ImportStage.ARMATURES, progress)
        yield progress(T("Textures"))
        images = import_images(context)
        IMAGES.set(context, images)
        show_materials(context.root, context.wad2, context.report)
        yield from import_stage(context, ImportStage.TEXTURES, progress)
        arrays = [*prepared.mesh_data, *prepared.room_data]
        keys = {key for data in arrays for key in data.slots[0]}
        if options.sprites:
            keys |= sprite_keys(self.level)
        materials = import_materials(context.root, images, sorted(keys))
        MATERIALS.set(context, materials)
        yield progress(T("Meshes"))
        MESH_ARRAYS.set(context, prepared.mesh_data)
        ROOM_ARRAYS.set(context, prepared.room_data)
        if options.models or options.static_meshes:
            MESHES.set(context, import_meshes(context, prepared.mesh_data, materials))
        for stage in _STAGES:
            yield from import_stage(context, stage, progress)
        import_properties(context)
        scene = bpy.context.scene
        if options.beside and scene is not None:
            place_next_to_levels(scene, context.root)


def _describe(root: Collection, level: Level, options: ImportOptions, source: str) -> None:
    settings = root.tomb_raider
    settings.kind = Kind.LEVEL
    settings.game = level.game.name
    settings.engine = shown_target(level).name
    settings.has_trng = level.has_trng_footer
    settings.scale = options.scale
    settings.data_version = DATA_VERSION
    settings.source = source


def hide_libraries(root: Collection) -> None:
    """Hide flipped rooms of a level, and its libraries if there are rooms."""
    _hide_parts(root)
    bpy.context.view_layer.update()


def _hide_parts(root: Collection, objects: LevelObjects | None = None) -> None:
    layers = bpy.context.view_layer.layer_collection.children
    # A linked collection may have the same name.
    layer = next(layer for layer in layers if layer.collection == root)
    has_rooms = any(
        child.collection.tomb_raider.kind == Kind.ROOMS and child.children for child in layer.children
    )
    for child in layer.children:
        subject = _HOMES.get(child.collection.tomb_raider.kind)
        if subject is None:
            continue
        child.collection.color_tag = subject.color
        if subject.view == "hidden" or (subject.view == "library" and has_rooms):
            child.exclude = True
        elif subject.view == "closed" and has_rooms:
            child.hide_viewport = True
    view_layer = bpy.context.view_layer
    assert view_layer is not None  # every scene has one
    show_flipped(layer.collection, view_layer, (), objects)
    if Game[layer.collection.tomb_raider.game].traits.has_light_ranges:
        show_part(layer.collection, view_layer, "LIGHT_RANGES", show=False)
