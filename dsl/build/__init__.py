"""From reductions to nodes: for every alias of `grammar.lark` one method, which gets the parts as they were read.

A method's result is a node, a `Group` of them in brackets, or a list. Tokens that are not needed are named with a
leading underscore.
"""

from dsl.build.file import FileRules


class Builder(FileRules):
    """Makes the nodes of one file; collects what it has to say in `diagnostics`."""


__all__ = ["Builder"]
