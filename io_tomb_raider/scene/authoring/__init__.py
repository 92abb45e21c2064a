"""Tools that create parts of levels: objects, rooms, portals, collision, light."""
