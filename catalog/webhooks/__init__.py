"""Webhooks: their settings, signatures, deliveries and schedule. Events are queued by `webhook_queue.py`."""
