"""``export`` command: levels from .blend files; ``render`` command: pictures of levels."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...formats import Game, write_level
from ..base.text.words import SUFFIXES
from .commands import BLEND_SUFFIXES, Command, Result, files_in, jobs, levels, warnings_below

if TYPE_CHECKING:
    from bpy.types import Collection


def export_from_blend(
    blend: str,
    path: str,
    collection: str = "",
    *,
    folder: str = "",
    rebuild: bool = False,
    bake: str = "IN_USE",
    apply_modifiers: bool = True,
) -> Result:
    """Export the level of a .blend file to ``path``.

    Args:
        collection: root collection of the level; required if there are several.
        folder: the folder to write to if ``path`` is "": the name is that of the .blend file, with the game's
            suffix.
        bake: the actions to export with the effects of constraints and drivers: IN_USE, ALL or NONE.
        apply_modifiers: export meshes with their modifiers and shape keys.
    Raises:
        ExportError: the scene contains something that the game does not support.
        FormatError, OSError: a file cannot be read or written.
    """
    from ...formats.editors.wads import WAD2, is_object_file
    from ...scene.core import Bake, Report
    from ...scene.interop.wads import write_objects
    from ...scene.pipeline import export_level
    from ...scene.transfer.adoption import reconcile
    from .blends import open_level

    root = open_level(blend, collection)
    target = path or str(Path(folder) / Path(blend).with_suffix(_suffix_of(root)).name)
    report = Report()
    reconcile(root, report)
    result = export_level(
        root,
        rebuild=rebuild,
        bake=Bake(bake),
        apply_modifiers=apply_modifiers,
        with_hooks=True,
        with_skins=target.lower().endswith(WAD2),
        report=report,
    )
    if is_object_file(target):
        write_objects(root, result.level, target, report, result.extras)
    else:
        write_level(result.level, target)
    summary = result.rebuilt.summary()
    outcome = summary if path else f"saved as {target}: {summary}"
    text, changed = warnings_below(outcome, report.warnings), dict(result.rebuilt)
    return Result(text, saved=target, changed=changed, warnings=report.warnings)


def _suffix_of(root: Collection) -> str:
    """Return the suffix for a level's file: that of its source, if it fits the game."""
    game = Game[root.tomb_raider.game]
    suffix = Path(root.tomb_raider.source).suffix
    return suffix if suffix.upper() in SUFFIXES[game] else SUFFIXES[game][0]


def render(
    path: str, rooms: str = "", *, overview: str = "", models: str = "", named: Sequence[str] = ()
) -> Result:
    """Render pictures of a level.

    Args:
        rooms: folder for a picture of every room; "" for none.
        overview: file for a picture of the whole level from above; "" for none.
        models: folder for a picture of every model; "" for none.
        named: parts of names, or ids, of models; empty for all.
    Raises:
        ExportError: there is no model of a name.
        FormatError, OSError: the level cannot be read, or a picture cannot be written.
    """
    from ...scene.assets.pictures import render_models, render_overview, render_rooms
    from ...scene.pipeline import import_level
    from .blends import empty_file

    empty_file()
    root, lines = import_level(path).root, []
    pictures: list[str] = []
    if rooms:
        drawn = render_rooms(root, Path(rooms).absolute())
        pictures += map(str, drawn)
        lines.append(f"drew {len(drawn)} rooms into {rooms}")
    if models:
        drawn = render_models(root, Path(models).absolute(), named)
        pictures += map(str, drawn)
        lines.append(f"drew {len(drawn)} models into {models}")
    if overview:
        render_overview(root, Path(overview).absolute())
        pictures.append(str(Path(overview).absolute()))
        lines.append(f"drew the level as {overview}")
    return Result("\n".join(lines), pictures=pictures)


def _declare_export(parser: ArgumentParser) -> None:
    text = "a .blend file with an imported level, or a folder of such files"
    parser.add_argument("blend", metavar="BLEND", help=text)
    text = "output file; for a folder, the output folder"
    parser.add_argument("paths", nargs=1, metavar="LEVEL", help=text)
    jobs(parser)
    parser.add_argument("--collection", default="", help="the level's collection, if there are several")
    parser.add_argument("--rebuild", action="store_true", help="rebuild every part from the scene")
    text = "export poses with constraints: in actions in use and new ones, in all, or in none"
    parser.add_argument("--bake", choices=("in-use", "all", "none"), default="in-use", help=text)
    text = "the same as --bake none"
    parser.add_argument("--no-bake", dest="bake", action="store_const", const="none", help=text)
    text = "export meshes without modifiers and shape keys"
    parser.add_argument("--without-modifiers", action="store_true", help=text)


def _prepare_export(parser: ArgumentParser, options: Namespace) -> None:
    """Replace a folder by its .blend files, and derive the names of targets in a folder from theirs."""
    target = options.paths[0]
    options.to = target if os.path.isdir(target) else ""
    if os.path.isdir(options.blend):
        if not options.to:
            parser.error(f"levels of a folder are exported to a folder: {target} is not a folder")
        options.paths = files_in(options.blend, BLEND_SUFFIXES) or [options.blend]
    elif options.to:
        options.paths = [options.blend]


def _run_export(path: str, options: Namespace) -> Result:
    blend, target = (path, "") if options.to else (options.blend, path)
    return export_from_blend(
        blend,
        target,
        options.collection,
        folder=options.to,
        rebuild=options.rebuild,
        bake=options.bake.upper().replace("-", "_"),
        apply_modifiers=not options.without_modifiers,
    )


def _declare_render(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    parser.add_argument("--rooms", default="", metavar="FOLDER", help="folder for a picture of every room")
    text = "picture of the whole level from above; for several levels, a folder"
    parser.add_argument("--overview", default="", metavar="FILE", help=text)
    parser.add_argument("--models", default="", metavar="FOLDER", help="folder for a picture of every model")
    text = "draw models with this text in their name, or this id; may be repeated"
    parser.add_argument("--named", action="append", default=[], metavar="NAME", help=text)


def _prepare_render(parser: ArgumentParser, options: Namespace) -> None:
    if not (options.rooms or options.overview or options.models):
        parser.error("choose what to draw: --rooms, --overview or --models")
    if options.named and not options.models:
        parser.error("--named filters models: add --models")


def _run_render(path: str, options: Namespace) -> Result:
    # Each of several levels gets its own folder or file.
    def target(option: str, suffix: str = "") -> str:
        return str(Path(option) / (Path(path).stem + suffix)) if option and options.is_many else option

    return render(
        path,
        target(options.rooms),
        overview=target(options.overview, ".png"),
        models=target(options.models),
        named=options.named,
    )


EXPORT = Command(
    "export",
    "export a level from a .blend file, or from each file in a folder",
    _declare_export,
    _run_export,
    suffixes=BLEND_SUFFIXES,
    prepare=_prepare_export,
)
RENDER = Command(
    "render",
    "draw pictures of levels: of rooms, models, or all",
    _declare_render,
    _run_render,
    prepare=_prepare_render,
)
