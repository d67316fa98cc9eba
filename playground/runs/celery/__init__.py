"""Runs on worker machines through Celery: queue, heartbeats, messages that are sent again."""
