"""Around the site: what the server's processes do with connections, bodies, responses and signals.

slow_bodies   reads request bodies within a deadline
responses     passes responses to the server in one piece
connections   closes connections that read too slowly
draining      stops the server without cutting runs
logs_*.json   the server's own logs, as text and as JSON
"""
