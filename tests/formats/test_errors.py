"""The texts of errors."""

from io_tomb_raider.formats import ExportError, FormatError


def test_format_errors_have_place_and_expected_value() -> None:
    error = FormatError("rooms", "12 faces", "7", element=3, offset=80)
    assert str(error) == "rooms[3] at byte 80: expected 12 faces, found 7"
    assert str(FormatError("palette", "256 colors", "none")) == "palette: expected 256 colors, found none"


def test_export_errors_have_count_and_limit() -> None:
    assert str(ExportError("Room 1", "too many vertices", count=70000, limit=65535)) == (
        "Room 1: too many vertices: 70000 (the limit is 65535)"
    )
    assert str(ExportError("Room 1", "it has no floor")) == "Room 1: it has no floor"
