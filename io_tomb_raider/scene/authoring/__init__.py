"""Tools that make new parts of levels: objects, rooms, portals, collision, light."""
