"""Text files of other programs: their encodings, byte order marks and continued lines."""

from __future__ import annotations

import re

# Byte order marks, and their encodings.
MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTINUED = re.compile(r"\\[ \t]*(?:\r\n?|\n)")
_UTF_8, _ANSI = "utf-8", "cp1252"


def plain_text(data: bytes, encoding: str = _UTF_8) -> str:
    """Return the text of a file, without its byte order mark. Bytes of no character are replaced.

    The encoding is that of files without a mark. UTF-8 becomes that of Windows if the text is no UTF-8.
    """
    for mark, name in MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if data[1:2] == b"\0" != data[:1]:
        return data.decode("utf-16-le", "replace")
    if data[:1] == b"\0" != data[1:2]:
        return data.decode("utf-16-be", "replace")
    if encoding == _UTF_8:
        try:
            return data.decode(_UTF_8)
        except UnicodeDecodeError:
            encoding = _ANSI
    return data.decode(encoding, "replace")


def joined_lines(text: str) -> list[str]:
    """Return the lines of a text; a backslash at the end of a line continues it."""
    return _CONTINUED.sub(" ", text).splitlines()
