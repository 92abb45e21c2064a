"""How much longer Blender takes to start with the extension: its modules are loaded and registered."""

from __future__ import annotations

import gc
from time import thread_time


def measure_start_up() -> dict[str, float]:
    """Measure this process's first loading and registering, with Blender and its own add-ons there already.

    Returns:
        Seconds of the processor: ``load`` the modules, ``register`` their classes, and both, ``start-up``.
        Of this thread alone: those that Blender 4.2 starts are busy with its own objects meanwhile.
    """
    import bpy  # noqa: F401 - what Blender loads for itself is not counted
    import numpy as np  # noqa: F401 - nor is this, which its own add-ons load

    gc.collect()  # else Python may do so on the way, for all that Blender has made before
    start = thread_time()
    import io_tomb_raider
    from io_tomb_raider.scene import properties  # noqa: F401
    from io_tomb_raider.ui import load

    load()
    loaded = thread_time()
    io_tomb_raider.register()
    registered = thread_time()
    io_tomb_raider.unregister()  # Blender 4.2 crashes at its end where an extension stays registered
    return {"load": loaded - start, "register": registered - loaded, "start-up": registered - start}
