"""Tools of the developers: the mutation tester, and the plugin of mypy."""
