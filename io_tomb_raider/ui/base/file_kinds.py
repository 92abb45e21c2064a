"""Kinds of files, and the tools that take them, for files that were chosen in another tool.

Nothing here needs Blender.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ...formats import FormatError
from ...formats.base import N_, T, as_message, read_file
from .text.words import explain


class FileKind(NamedTuple):
    """A kind of file."""

    name: str  #: with its article.
    tool: str  #: where the interface takes it, "" nowhere.
    operators: tuple[str, ...] = ()  #: the operators that take it.
    commands: tuple[str, ...] = ()  #: the commands of the command line that take it.
    starts: tuple[bytes, ...] = ()  #: the first bytes of such files; others are known by their suffixes.
    suffixes: tuple[str, ...] = ()  #: in lower case.
    #: the operator that opens such a file where it is chosen as a level, or dropped; "" if none does.
    opens: str = ""


_APPENDS = ("tomb_raider.append", "tomb_raider.replace_outfit", "tomb_raider.replace_model")
_LEVEL = ("import_scene.tomb_raider", *_APPENDS, "tomb_raider.repair_level")
_OBJECTS = (
    "import_scene.tomb_raider",
    *_APPENDS,
    "tomb_raider.put_model",
    "tomb_raider.put_animation",
)
_LEVEL_COMMANDS = ("info", "check", "import", "convert", "diff", "repair", "render", "library", "apply")
_OBJECT_COMMANDS = ("info", "check", "import", "convert", "render", "library")
_IMPORT_LEVEL = N_("File > Import > Tomb Raider > Level")
_IMPORT_OBJECTS = N_("File > Import > Tomb Raider > Object File")
_WAD_VERSIONS = (b"\x81\0\0\0", b"\x82\0\0\0")  # 129 and 130, also of the companion with sprites
# The sizes of pictures in .PAK files: 512 x 256 with three bytes per pixel, 640 x 480 with two.
_PICTURES = (b"\0\0\x06\0", b"\0\x60\x09\0")

# Files are known by first bytes and suffix, or else by first bytes, or else by suffix. The first
# of the list wins, so that a .wad without such bytes contains sounds.
KINDS: tuple[FileKind, ...] = (
    FileKind(
        N_("a Tomb Editor project"), N_("File > Import > Tomb Raider > Tomb Editor Project"),
        ("import_scene.tomb_raider_project",), ("check", "compile"),
        (b"PRJ2", b"PROJFILE"), (".prj2", ".prj"), "import_scene.tomb_raider_project",
    ),
    FileKind(
        N_("an object file of Tomb Editor"), _IMPORT_OBJECTS, _OBJECTS, _OBJECT_COMMANDS, (b"WAD2",),
        (".wad2",),
    ),
    FileKind(
        N_("an object file of the level editor"), _IMPORT_OBJECTS, _OBJECTS, _OBJECT_COMMANDS,
        _WAD_VERSIONS, (".wad",),
    ),
    FileKind(
        N_("an injection of TRX"), N_("File > Import > Tomb Raider > Other > Injection of TRX"),
        ("import_scene.tomb_raider_injection",), ("check", "apply"), (b"TRXJ", b"TRXI", b"T1MJ", b"T2XJ"),
        (), "import_scene.tomb_raider_injection",
    ),
    FileKind(
        N_("a patch of a level"), N_("File > Import > Tomb Raider > Other > Patch"),
        ("import_scene.tomb_raider_patch",), ("apply",), (b'{\n"patch',), (".trpatch",),
        "import_scene.tomb_raider_patch",
    ),
    FileKind(
        N_("an animation"), N_("File > Import > Tomb Raider > Animation"),
        ("import_anim.tomb_raider",), ("check",), (), (".anim", ".trw"), "import_anim.tomb_raider",
    ),
    FileKind(
        N_("a .blend file"), N_("File > Open"),
        _APPENDS, ("check", "export"),
        (b"BLENDER", b"\x28\xb5\x2f\xfd"), (".blend",),
    ),
    FileKind(N_("a sound"), N_("Replace Sound in the panel of a sound"), (
        "tomb_raider.replace_sound", "tomb_raider.add_sample_file", "tomb_raider.add_to_sound_file",
        "import_scene.tomb_raider_sounds",
    ), (), (), (".wav", ".ogg", ".mp3", ".flac")),
    FileKind(
        N_("a file of sounds"), N_("File > Import > Tomb Raider > Other > Sounds"),
        ("import_scene.tomb_raider_sounds",), (), (), (".sfx", ".db", ".sam", ".wad"),
        "import_scene.tomb_raider_sounds",
    ),
    FileKind(
        N_("a companion of a .wad, which is read with it"), _IMPORT_OBJECTS, (), (), _WAD_VERSIONS,
        (".swd", ".was"),
    ),
    FileKind(
        N_("a script of a game"), N_("File > Import > Tomb Raider > Other > Script"),
        ("tomb_raider.import_script",), (), (), (".dat", ".lng"), "tomb_raider.import_script",
    ),
    FileKind(
        N_("a picture of a game"), N_("File > Import > Tomb Raider > Other > Picture"),
        ("import_image.tomb_raider_picture",), (), _PICTURES, (),
        "import_image.tomb_raider_picture",
    ),
    FileKind(
        N_("a file of cutscenes"), N_("File > Import > Tomb Raider > Other > Cutscene"),
        ("import_scene.tomb_raider_cutscene",), (), (), (".bin", ".pak"), "import_scene.tomb_raider_cutscene",
    ),
    FileKind(
        N_("a sound catalog, which projects read"), "", (), (), (), (".xml",),
    ),
    FileKind(
        N_("a script of TRX"), N_("File > Import > Tomb Raider > Other > Level's Entry in Game Flow"),
        ("tomb_raider.read_gameflow", "tomb_raider.write_gameflow", "tomb_raider.update_gameflow"),
        ("repair",), (), (".json5", ".json"),
    ),
    FileKind(
        N_("a picture"), N_("Open in the Image Editor"), (), (),
        (b"\x89PNG", b"GIF8", b"BM", b"\xff\xd8\xff"), (".png", ".bmp", ".tga", ".gif", ".jpg", ".jpeg"),
    ),
    FileKind(
        N_("a model of another program"), N_("File > Import of Blender"), (), (), (),
        (".obj", ".mqo", ".fbx", ".dae", ".gltf", ".glb", ".3ds", ".bvh", ".mtl"),
    ),
    FileKind(
        N_("a level"), _IMPORT_LEVEL, _LEVEL, _LEVEL_COMMANDS, (), (".phd", ".tub", ".tr2", ".tr4", ".trc"),
    ),
)  # fmt: skip


def kind_of_file(path: str | os.PathLike[str]) -> FileKind | None:
    """Return the kind of a file, None for unknown ones and those that cannot be read."""
    try:
        start = read_file(path, 8)
    except OSError:
        return None
    suffix = os.path.splitext(path)[1].lower()
    by_content = [kind for kind in KINDS if kind.starts and start.startswith(kind.starts)]
    by_suffix = [kind for kind in KINDS if suffix in kind.suffixes]
    by_both = [kind for kind in by_content if kind in by_suffix]
    without_starts = [kind for kind in by_suffix if not kind.starts]
    return next(iter((*by_both, *by_content, *without_starts, *by_suffix)), None)


def explain_chosen(error: ValueError | OSError, path: str | os.PathLike[str], tool: str) -> str:
    """Return a description of an error about a chosen file; see :func:`other_tool`."""
    return other_tool(error, path, tool) or explain(error)


def other_kind(
    error: ValueError | OSError | None, path: str | os.PathLike[str], tool: str
) -> FileKind | None:
    """Return the kind of a file that a tool does not take; None for unknown files and those that it takes.

    Args:
        error: the error about the file, None if there was none. A file that cannot be opened has no kind.
        tool: the operator or the command that was used; operators by either of their names.
    """
    if error is not None and not isinstance(error, FormatError):
        return None
    kind = kind_of_file(path)
    tool = _tool_name(tool)
    if kind is None or tool in (*kind.operators, *kind.commands):
        return None
    if not (kind.starts and read_file(path, 8).startswith(kind.starts)):
        # Known by a suffix that several kinds of files have.
        suffix = os.path.splitext(path)[1].lower()
        others = [other for other in KINDS if suffix in other.suffixes and not other.starts]
        if any(tool in (*other.operators, *other.commands) for other in others):
            return None
    return kind


def _tool_name(tool: str) -> str:
    space, _, operator = tool.partition("_OT_")
    return f"{space.lower()}.{operator}" if operator else tool


def other_tool(error: ValueError | OSError | None, path: str | os.PathLike[str], tool: str) -> str:
    """Return the tool that takes a file that could not be read, "" if that is no file of another kind.

    Arguments are those of :func:`other_kind`.
    """
    kind = other_kind(error, path, tool)
    if kind is None:
        return ""
    name, where = as_message(kind.name), as_message(kind.tool)
    if "." not in _tool_name(tool) and kind.commands:
        commands = ", ".join(kind.commands)
        return T("this is {kind}: use one of the commands {commands}", kind=name, commands=commands)
    if not kind.tool:
        return T("this is {kind}", kind=name)
    return T("this is {kind}: use {tool}", kind=name, tool=where)
