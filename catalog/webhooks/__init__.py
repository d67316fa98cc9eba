"""Webhooks: their settings, and the delivery of events to them.

queue                   queue an event in the transaction of what happened
delivery, signature     send what is due, signed, with retries
registration            add and change a webhook; views and api show deliveries
"""
