"""``export``: a level of a .blend file; ``render``: pictures of a level."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ...formats import write_level
from .commands import Command, levels


def export_from_blend(
    blend: str,
    path: str,
    collection: str = "",
    *,
    rebuild: bool = False,
    bake: bool = True,
    apply_modifiers: bool = True,
) -> str:
    """Make a level of a .blend file.

    Args:
        blend: a file with a level that was imported.
        path: where the level goes.
        collection: the root collection of the level, where there are several.
        rebuild: rebuild every part from the scene.
        bake: write poses as constraints and drivers have them.
        apply_modifiers: write meshes with their modifiers and shape keys.

    Raises:
        ExportError: where the scene holds what the game cannot.
        FormatError, OSError: where a file cannot be read or written.
    """
    from ...scene.exporter import export_level
    from .blends import open_level

    root = open_level(blend, collection)
    level, report = export_level(root, rebuild=rebuild, bake=bake, apply_modifiers=apply_modifiers)
    write_level(level, path)
    return "\n".join([report.summary(), *(f"  warning: {text}" for text in report.warnings)])


def render(path: str, folder: str) -> str:
    """Draw a picture of every room of a level.

    Args:
        path: the level.
        folder: where the pictures go.

    Raises:
        FormatError, OSError: where the level cannot be read, or a picture not be written.
    """
    from ...scene.importer import import_level
    from ...scene.pictures.rooms import render_rooms
    from .blends import empty_file

    empty_file()
    made = render_rooms(import_level(path).root, Path(folder).absolute())
    return f"drew {len(made)} rooms into {folder}"


def _declare_export(parser: ArgumentParser) -> None:
    parser.add_argument("blend", metavar="BLEND", help="a file with a level that was imported")
    parser.add_argument("paths", nargs=1, metavar="LEVEL", help="where the level goes")
    parser.add_argument("--collection", default="", help="the level's collection, where there are several")
    parser.add_argument("--rebuild", action="store_true", help="rebuild every part from the scene")
    parser.add_argument("--no-bake", action="store_true", help="leave out what constraints do to poses")
    text = "leave modifiers and shape keys out of meshes"
    parser.add_argument("--without-modifiers", action="store_true", help=text)


def _run_export(path: str, options: Namespace) -> str:
    return export_from_blend(
        options.blend,
        path,
        options.collection,
        rebuild=options.rebuild,
        bake=not options.no_bake,
        apply_modifiers=not options.without_modifiers,
    )


def _declare_render(parser: ArgumentParser) -> None:
    levels(parser)
    parser.add_argument("--rooms", required=True, metavar="FOLDER", help="where the pictures of rooms go")


def _run_render(path: str, options: Namespace) -> str:
    # Of several levels each gets a folder of its own.
    folder = Path(options.rooms)
    return render(path, str(folder / Path(path).stem if options.is_many else folder))


EXPORT = Command("export", "make a level of a .blend file", _declare_export, _run_export)
RENDER = Command("render", "draw a picture of every room of levels", _declare_render, _run_render)
