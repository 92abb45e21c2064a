"""Upgrades of scenes from older versions of the extension, one step per version.

The root collection of a level stores the version of its data in ``tomb_raider.data_version``.
`versions.upgrade` applies the steps from there when a file is opened, appended, saved or exported. Levels of
newer versions, and of versions without a step, stay as they are, and exports refuse them.

A step is frozen: it is correct for the data of its time and does not change with the extension. So each step
has a module and code of its own, and reads and writes stored values (`stored`) instead of today's typed
properties. It uses nothing else of the project, except libraries that read levels. ``tests/old_scenes`` has
a .blend of every version with a step.

==== ====== ===========================================================================================
from step   change
==== ====== ===========================================================================================
5    `to_6` The collision of a room said whether the mesh was drawn from it. Now the room says which of
            the two follows the other, if any.
==== ====== ===========================================================================================

The first release had version 6. Versions before 5 were never released, so their steps were removed. To add a
step: save a scene of today's version in ``tests/old_scenes``, write the module ``to_<next>``, append its
function to ``versions._STEPS``, and add a row to the table. CONTRIBUTING.md has the details.

Data-blocks that come without their level, such as models of asset libraries, have no version, and no step is
applied to them. A step that changes the data of models or actions needs a call in ``scene/transfer`` as well.
"""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .versions import upgrade, upgrade_all
else:
    __getattr__ = lazy_exports(__name__)
