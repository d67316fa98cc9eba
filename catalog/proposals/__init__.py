"""Changes that wait for review: of sources, and of people who may propose but not publish.

`actions.publish_or_hold` publishes a spec, or holds it if the person may only propose it.

    actions               hold a change, approve it, reject it
    models                a held change, and who may see and decide it
    lookup                a change for a URL
    views, api, schemas   the list of changes to review, and one of them
"""
