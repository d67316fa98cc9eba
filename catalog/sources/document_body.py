"""The body of a request that contains a document of a source."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.errors import HttpError
from ninja.params.models import Body, BodyModel

from catalog.access.rights import require
from toolshelf_core.api.request_body import read_object


class DocumentBodyModel(BodyModel):
    """A body with a document: larger than others, and read only if an administrator sends it.

    It has at most twice the size of a document, because a document is escaped in JSON.
    """

    @classmethod
    def get_request_data(
        cls,
        request: HttpRequest,
        api: NinjaAPI,  # noqa: ARG003 - as ninja calls it
        path_params: dict[str, Any],  # noqa: ARG003
    ) -> dict[str, Any]:
        require(request.user, "administer")
        limit = 2 * settings.MAX_DOCUMENT_BYTES
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        if length > limit:
            raise HttpError(413, f"The body can have at most {limit:,} bytes.")
        # not `request.body`, which has the limit of a form
        body = read_object(request.read(length), max_bytes=limit)
        return {cls.__read_from_single_attr__: body}


class DocumentBody(Body):  # type: ignore[misc]
    """Declares the parameter of an operation that is read as `DocumentBodyModel`."""

    _model = DocumentBodyModel

    @classmethod
    def _param_source(cls) -> str:
        return "body"
