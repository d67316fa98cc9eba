"""Sources: MCP servers and documents, which are read again when they change.

registration    add, change and remove a source
sync            read a source, and apply its changes as the policy of the source says
reading         runs `reader` in a process of its own, with limits
reader          reads a source; the only module that imports the MCP client
listings        the content of a source, as specs; the ids of its tools
held_changes    hold, approve and reject changes
schedule        sync the sources that are due
"""
