"""Development tools: the mutation tester and the mypy plugin."""
