"""Code to paste: calls of the API, and settings of MCP clients."""
