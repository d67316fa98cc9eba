"""The site as a server of the Model Context Protocol, so that agents find and call its tools.

POST /mcp             search_tools, describe_tool, call_tool: the whole catalog
POST /mcp/<toolkit>   the runnable tools of one toolkit; with ?mock=1 all of them, as mocks

view            authentication, HTTP, one JSON response or a stream
protocol        messages of both eras, headers, errors
sessions        the session of a legacy client: a signed token, nothing is stored
methods         initialize, server/discover, ping, tools/list, tools/call, notifications/cancelled
catalog_tools   the tools of /mcp
toolkit_tools   the tools of /mcp/<toolkit>
calls           a call as a run: its configuration, its cancellation
results         a run as the result of a call
streams         progress, and the result, as server-sent events
"""
