"""Packs the files of a zip again, as small as Deflate allows:

    python -m tools.pack FILE.zip

Any program that opens zips reads the result, and equal files give equal bytes.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import deflate

_BEST = 12  # the level of libdeflate that takes longest
_VERSION, _UNIX = 20, 3  # the version of the format that Deflate needs, and the system of the file modes
_FIRST_DATE = 0x21  # the first of January 1980, as build.py sets
_UTF_8 = 0x800


def pack(path: Path) -> int:
    """Replace a zip of packed files by a smaller one, and return its size."""
    with ZipFile(path) as archive:
        files = [(entry, archive.read(entry)) for entry in archive.infolist()]
    body, directory = bytearray(), bytearray()
    for entry, content in files:
        name = entry.filename.encode("utf-8")
        packed = deflate.deflate_compress(content, _BEST)
        flags = 0 if entry.filename.isascii() else _UTF_8
        sizes = (zlib.crc32(content), len(packed), len(content), len(name))
        common = struct.pack("<5H3IH", _VERSION, flags, ZIP_DEFLATED, 0, _FIRST_DATE, *sizes)
        place = struct.pack("<4H2I", 0, 0, 0, 0, entry.external_attr, len(body))
        directory += b"PK\1\2" + bytes((_VERSION, _UNIX)) + common + place + name
        body += b"PK\3\4" + common + bytes(2) + name + packed
    end = struct.pack("<4H2IH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    return path.write_bytes(body + directory + b"PK\5\6" + end)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
