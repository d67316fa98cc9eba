"""The page that runs a tool: its input, and its content."""
