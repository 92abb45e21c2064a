"""Set-up that the tests of the interface share."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from bpy.types import Collection

from .user_actions import import_sample


@pytest.fixture
def level(blender: ModuleType, tmp_path: Path) -> Collection:
    """The root collection of the TR4 sample level, imported by the menu."""
    return import_sample(tmp_path, "tr4")
