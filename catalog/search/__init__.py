"""The list of tools: search, filters, facets, suggestions, similar tools, toolkits and tags.

`views.tool_list` and `api.search_tools` make a `CatalogSearch` and read a page of its results.
`catalog/index/` reads the query, finds and ranks.

    catalog_search, url_parameters   one search, as its URL states it
    results, matches                 its results, and why each was found
    sorting, pagination              orders other than by relevance; cursors for programs
    facets, suggestions              filters with numbers of matches; completions of a query
    groups, figures, toolkit_groups  the toolkits and tags that a person sees, and their numbers
    similar, comparison              tools that are similar to one, and two tools side by side
"""
