"""Webhooks: their settings, and the delivery of events to them.

An event is queued in the transaction of what happened, and sent later by a process of the server.

    models, queue           webhooks and deliveries; queue an event for each webhook that takes it
    delivery, signature     send what is due, signed, with retries
    registration            add and change a webhook
    views, api              the pages and the API's operations: settings and deliveries
"""
