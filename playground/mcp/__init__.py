"""The site as a server of the Model Context Protocol, so that agents find and call its tools.

POST /mcp             search_tools, describe_tool, call_tool: the whole catalog
POST /mcp/<toolkit>   the runnable tools of one toolkit; with ?mock=1 all of them, as mocks

view            authentication, HTTP, one JSON response or a stream
protocol        messages of both eras, headers, errors
sessions        the session of a legacy client: a signed token, nothing is stored
methods         initialize, server/discover, ping, tools/list, tools/call, notifications/cancelled
toolsets        what /mcp and /mcp/<toolkit> have in common: catalog_tools, toolkit_tools
param_headers   parameters that a client sends as headers, too
calls           a call as a run: its configuration, its cancellation
results         a run as the result of a call
streams         a call that waits for its run: JSON, or progress and the result as events
connect         the pages that connect a client; clients, addresses: what they enter
agent_view      what an agent gets, for these pages
api             the configuration of a tool for calls by agents
"""
