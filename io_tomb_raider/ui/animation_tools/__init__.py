"""Edit Keys: operators and panel of tools that edit whole animations."""
