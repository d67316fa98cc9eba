"""The WSGI application that granian serves."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.bodies import WholeBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = WholeBodies(
    get_wsgi_application(), readers=max(1, settings.WEB_THREADS // 2), max_bytes=settings.MAX_UPLOAD_BYTES
)
