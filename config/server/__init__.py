"""Around the site: what the server's processes do with connections, bodies, responses and signals.

slow_bodies   reads request bodies within a deadline          draining      stops the server without cutting runs
responses     passes responses to the server in one piece     logs_*.json   the server's own logs, as text and as JSON
connections   closes connections that read too slowly
"""
