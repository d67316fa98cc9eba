"""Connection factories: they run the tools of a source by calling that source.

They run inside the run's isolated process.

    connection         the part of a source that a run needs, as it travels to the run's process
    mcp_tool           tools of MCP servers: `tools/call`, with progress and cancellation
    http_tool          operations of OpenAPI documents: one HTTP request
    request            the request, from the operation and the parameters; as a curl command,
                       for the log
    serialization      parameters as text: the styles of OpenAPI
    body               bodies: JSON, forms, multipart, text, bytes
    security           API keys, basic, bearer, OAuth 2 client credentials

`playground.factories.connections` decides which tools they serve.
"""
