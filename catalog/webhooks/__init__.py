"""Webhooks: their settings, signatures, and deliveries. Events are queued by `webhook_queue.py`."""
