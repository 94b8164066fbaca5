"""Functions that do nothing: what a step costs beside them is all that there is to measure.

Run as a program it is a server of one of them, over stdio, made with the official SDK.
"""


def same(value: int) -> int:
    """The value again."""
    return value


async def same_later(value: int) -> int:
    """The value again, from a coroutine."""
    return value


def _serve() -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("steps", log_level="ERROR")
    server.tool()(same)
    server.run("stdio")


if __name__ == "__main__":
    _serve()
