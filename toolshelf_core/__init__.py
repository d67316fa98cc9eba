"""What knows no feature, except the names of actions in `audit`; imports only `toolspec`.

audit, encryption, redaction      record who did what; store secrets; remove them from texts
outgoing/, site_addresses         connections to other servers, and to which
caching, jobs, fairness           caches of this process, its background jobs, whose turn is next
api/, page_parts, paging          what operations and pages share; forms: stored_form, form_problems
rendering/, templatetags/         Markdown, charts, differences and JSON as HTML
db/                               what both databases need besides the ORM
"""
