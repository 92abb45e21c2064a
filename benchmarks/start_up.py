"""Startup time of the extension in Blender: importing and registering its modules."""

from __future__ import annotations

import gc
from time import thread_time


def measure_start_up() -> dict[str, float]:
    """Measure this process's first import and registration, after Blender's own add-ons.

    Returns:
        Processor seconds: ``load`` the modules, ``register`` their classes, and both, ``start-up``. Of this
            thread alone, since Blender 4.2 starts other threads that are busy meanwhile.
    """
    import bpy  # noqa: F401 - Blender's own imports are excluded
    import numpy as np  # noqa: F401 - and this, which its add-ons import

    gc.collect()  # otherwise Python may collect Blender's garbage while the clock runs
    start = thread_time()
    import io_tomb_raider
    from io_tomb_raider.scene import properties  # noqa: F401
    from io_tomb_raider.ui import load

    load()
    loaded = thread_time()
    io_tomb_raider.register()
    registered = thread_time()
    io_tomb_raider.unregister()  # Blender 4.2 crashes on exit if an extension stays registered
    return {"load": loaded - start, "register": registered - loaded, "start-up": registered - start}
