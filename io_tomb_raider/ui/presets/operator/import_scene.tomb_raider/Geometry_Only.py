import bpy

op = bpy.context.active_operator

op.rooms = True
op.portals = False
op.collision = False
op.triggers = False
op.lights = False
op.cameras = False
op.models = False
op.animations = False
op.static_meshes = True
op.entities = False
op.sprites = False
op.sounds = False
op.pathfinding = False
