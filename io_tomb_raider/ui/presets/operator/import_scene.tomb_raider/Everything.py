import bpy

op = bpy.context.active_operator

op.rooms = True
op.portals = True
op.collision = True
op.triggers = True
op.lights = True
op.cameras = True
op.models = True
op.animations = True
op.static_meshes = True
op.entities = True
op.sprites = True
op.sounds = True
op.pathfinding = True
