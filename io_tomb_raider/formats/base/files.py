"""Files as wholes: read within bounds, and replaced in one step or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

from ..errors import FormatError

_MOST_BYTES = 1 << 30


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file that may be a level.

    Raises:
        FormatError: where it is far larger than any level.
        OSError: where it cannot be read.
    """
    size = Path(path).stat().st_size
    if size > _MOST_BYTES:
        raise FormatError("file", f"at most {_MOST_BYTES} bytes", str(size))
    return Path(path).read_bytes()


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Put new content in a file's place in one step, by way of a temporary file beside it.

    A link stays a link: the file that it leads to is replaced. What fails leaves the old file as it was.

    Raises:
        OSError: where the file cannot be written; it names the file or the folder that the caller knows.
    """
    target = Path(os.path.realpath(path))
    mode = _writable_mode(target, os.fspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=".io_tomb_raider.", dir=target.parent)
    except OSError as error:
        raise OSError(
            error.errno, f"no file can be made in the folder ({error.strerror})", str(target.parent)
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):  # which names the temporary file
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


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
