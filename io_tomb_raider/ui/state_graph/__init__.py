"""User interface of the state graph: a node editor of a model's animations."""
