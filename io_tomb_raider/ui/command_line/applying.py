"""``apply`` command: a level from another one and a patch."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from ..base.text.words import plain
from .commands import CheckError, Command, Result, further_file


def apply(base: str, patch: str, target: str, *, without_conflicts: bool = False) -> Result:
    """Apply a patch to a level, and write the result to ``target``. Return a text about it.

    Args:
        without_conflicts: leave out changes that conflict with the level's own.
    Raises:
        CheckError: the patch is none, or changes conflict; nothing was written.
        FormatError, OSError: a file cannot be read or written, or the patch is for another level.
    """
    from ...formats.base import read_file, replace_file
    from ...formats.edits.patches import apply_patch, read_patch
    from ...formats.levels.injections import is_injection

    data = read_file(patch)
    if is_injection(data):
        return _apply_injection(base, patch, data, target, without_conflicts=without_conflicts)
    with further_file(patch, "apply"):
        content = read_patch(data)
    applied = apply_patch(read_file(base), content, base)
    lines = [f"  conflict: {text}" for text in applied.conflicts]
    if lines and not without_conflicts:
        head = "nothing was written: this level has edits where the patch has some (--leave-out skips them)"
        raise CheckError("\n".join([head, *lines]), conflicts=list(applied.conflicts))
    if os.path.exists(target) and os.path.samefile(patch, target):
        raise CheckError("the level would replace the patch")
    replace_file(target, applied.data)
    text = "merged with" if applied.is_merged else "applied"
    if applied.is_recompressed:
        lines.append("  same content as the patch's level, compressed by another version of zlib")
    text = "\n".join([f"{text} {plain(patch)}, saved as {plain(target)}", *lines])
    return Result(text, saved=target, merged=applied.is_merged, conflicts=list(applied.conflicts))


def _apply_injection(base: str, path: str, data: bytes, target: str, *, without_conflicts: bool) -> Result:
    """Bake an injection into a level. Edits that it cannot hold become its block."""
    from ...formats import read_level, write_level
    from ...formats.edits.injections import apply_injection, merged, read_for_level
    from ...formats.levels.injections import put_block
    from ...formats.levels.views import Decoded

    level = read_level(base)
    fitting = read_for_level(data, level)
    if fitting.failed and not without_conflicts:
        head = "nothing was written: the injection is for another level (--leave-out ignores its conditions)"
        failed = list(map(str, fitting.failed))
        raise CheckError("\n".join([head, *(f"  {condition}" for condition in failed)]), conflicts=failed)
    applied = apply_injection(fitting.injection, level)
    result = applied.level.copy()
    joined = merged(Decoded(level).injection, applied.left, len(result.entities))
    put_block(result, joined.injection)
    if os.path.exists(target) and os.path.samefile(path, target):
        raise CheckError("the level would replace the injection")
    write_level(result, target)
    problems = [f"{problem.edit.label}: {problem.text}" for problem in applied.problems]
    problems += [f"{kind}: old injections of this kind cannot be applied" for kind in fitting.lost]
    problems += [f"{part}: the block of a level cannot hold this" for part in joined.lost]
    lines = [f"applied {applied.number} edits of {plain(path)}, saved as {plain(target)}"]
    lines += [f"  {problem}" for problem in problems]
    return Result("\n".join(lines), saved=target, merged=False, conflicts=problems)


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs=1, metavar="BASE", help="the level that the patch was made for, or a like one"
    )
    parser.add_argument(
        "patch", metavar="PATCH", help="a patch, or an injection of TRX, made by diff or in Blender"
    )
    parser.add_argument("out", metavar="OUT", help="the level to write")
    text = "write a level of another base without the changes that conflict with it"
    parser.add_argument("--leave-out", action="store_true", help=text)


def _run(path: str, options: Namespace) -> Result:
    return apply(path, options.patch, options.out, without_conflicts=options.leave_out)


APPLY = Command("apply", "make a level of another one and a patch", _declare, _run, needs_blender=False)
