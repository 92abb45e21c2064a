"""Control rigs: bones and constraints in a model's own armature that pose its limbs by hands and feet."""
