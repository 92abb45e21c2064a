"""Bounded file reads and atomic writes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from unicodedata import normalize

from ..errors import FormatError

_MOST_BYTES = 1 << 30


def read_file(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the bytes of a file, or its first `most` bytes. All files are read through this function.

    Raises:
        FormatError: if the whole file is requested and is far larger than any file of the games.
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as file:
        if most is not None:
            return file.read(most)
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise FormatError("file", f"at most {_MOST_BYTES} bytes", str(size))
        return file.read()


def name_key(name: str) -> str:
    """Return what the names of one file have in common in any case and any form of Unicode.

    Archives of other systems store letters with accents as two characters, projects as one.
    """
    return normalize("NFC", name).lower()


def file_content(source: str | os.PathLike[str] | bytes) -> bytes:
    """Return the bytes of a file, or the given bytes; see :func:`read_file`."""
    return source if isinstance(source, bytes) else read_file(source)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace the content of a file atomically, through a temporary file next to it.

    A link stays a link: its target is replaced. A failed write leaves the old file unchanged. Raises OSError
    if the file cannot be written; it names the file or the folder that the caller passed.
    """
    import tempfile  # late: readers do not need it, and it would slow down the start of Blender

    target = Path(os.path.realpath(path))
    mode = _writable_mode(target, os.fspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=".io_tomb_raider.", dir=target.parent)
    except OSError as error:
        text = f"no file can be made in the folder ({error.strerror})"
        raise OSError(error.errno, text, str(target.parent)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):  # the error of mkstemp names the temporary file
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


def _writable_mode(target: Path, name: str) -> int:
    """Return the permissions of the file, or those that a new file gets.

    Raises OSError if it is a folder or write-protected, or its folder does not exist.
    """
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "the folder is not there", str(target.parent))
    if target.is_dir():
        raise OSError(errno.EISDIR, "there is a folder of this name", name)
    if not target.exists():
        return 0o666 & ~_umask()
    mode = stat.S_IMODE(target.stat().st_mode)
    # A read-only flag is respected even if the user may write to any file.
    if not mode & stat.S_IWUSR or not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, "the file is write-protected", name)
    return mode


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
