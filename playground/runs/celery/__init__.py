"""Runs on worker machines through Celery: the queue, heartbeats, and messages that are sent again."""
