import bpy

op = bpy.context.active_operator

op.rooms = True
op.portals = False
op.collision = False
op.triggers = False
op.lights = True
op.cameras = False
op.models = True
op.animations = True
op.static_meshes = True
op.entities = True
op.sprites = True
op.sounds = False
op.pathfinding = False
