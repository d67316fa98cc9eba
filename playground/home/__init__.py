"""The first page: recent tools, what needs attention, and for visitors a live demonstration."""
