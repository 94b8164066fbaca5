"""The servers that other clients (Claude Desktop, VS Code, Cursor) are configured with, as sources of a manifest."""
