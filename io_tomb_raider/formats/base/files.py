"""Files as wholes: read within bounds, and replaced in one step or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import tempfile
from pathlib import Path

from ..errors import FormatError

_MOST_BYTES = 1 << 30


def read_file(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the bytes of a file, the only way in which any file is read.

    Args:
        path: the file.
        most: how many bytes to read from its start; None for the whole file.

    Raises:
        FormatError: where the whole file is wanted, and it is far larger than any file of the games.
        OSError: where it cannot be read.
    """
    with open(path, "rb") as file:
        if most is not None:
            return file.read(most)
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise FormatError("file", f"at most {_MOST_BYTES} bytes", str(size))
        return file.read()


def file_content(source: str | os.PathLike[str] | bytes) -> bytes:
    """Return the bytes of a file, or the given bytes; see :func:`read_file`."""
    return source if isinstance(source, bytes) else read_file(source)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Put new content in a file's place in one step, by way of a temporary file beside it.

    A link stays a link: the file that it leads to is replaced. What fails leaves the old file as it was.
    Where the system can do so, the temporary file has no name before it is complete: then nothing is left
    of it even when the process is killed.

    Raises:
        OSError: where the file cannot be written; it names the file or the folder that the caller knows.
    """
    target = Path(os.path.realpath(path))
    mode = _writable_mode(target, os.fspath(path))
    handle, temporary = _open_beside(target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if not temporary.exists():
                _give_name(handle, temporary)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):  # which names the temporary file
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


_LINKS = Path("/proc/self/fd")


def _open_beside(folder: Path) -> tuple[int, Path]:
    """Open a file for writing; return its handle, and the name that it has or is to get.

    Raises:
        OSError: where none can be made in the folder.
    """
    if hasattr(os, "O_TMPFILE") and _LINKS.is_dir():
        with contextlib.suppress(OSError):  # where the file system has no files without a name
            handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
            return handle, folder / f"{_PREFIX}{secrets.token_hex(8)}"
    try:
        handle, name = tempfile.mkstemp(prefix=_PREFIX, dir=folder)
    except OSError as error:
        raise OSError(
            error.errno, f"no file can be made in the folder ({error.strerror})", str(folder)
        ) from None
    return handle, Path(name)


def _give_name(handle: int, path: Path) -> None:
    """Give a name to an open file that has none."""
    links = os.open(_LINKS, os.O_RDONLY)
    try:
        # Only where a folder is named, too, does this follow the link to the file.
        os.link(str(handle), path, src_dir_fd=links, follow_symlinks=True)
    finally:
        os.close(links)


_PREFIX = ".io_tomb_raider."


def _writable_mode(target: Path, shown: str) -> int:
    """Return the permissions that the file has or shall have.

    Raises:
        OSError: where it is a folder or write-protected, or its folder is not there.
    """
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "the folder is not there", str(target.parent))
    if target.is_dir():
        raise OSError(errno.EISDIR, "there is a folder of this name", shown)
    if not target.exists():
        return 0o666 & ~_umask()
    mode = stat.S_IMODE(target.stat().st_mode)
    # Whoever may write anywhere still means it when a file is marked as read-only.
    if not mode & stat.S_IWUSR or not os.access(target, os.W_OK):
        raise OSError(errno.EACCES, "the file is write-protected", shown)
    return mode


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
