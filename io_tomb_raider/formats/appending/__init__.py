"""What a level is cut down to, before pieces of it are brought into another one."""
