"""Sources: MCP servers and documents, which are read again when they change.

registration                 add, change and remove a source
recognition, discovery       what somebody entered, and what is at its URL
sync, reconciliation         read a source, and apply what it contains as its policy says
reading, reader              read in a process of its own, with limits; the only MCP client of syncs
listings, declared           the content of a source, as specs; the ids of its tools
schedule                     sync the sources that are due
"""
