"""The API as a page: what programs can ask, from the OpenAPI description, without a network."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI

from consilience.web.access import PROGRAM_HEADER
from consilience.web.frame import Ctx, Data, Plain, page

router = APIRouter()


@router.get("/openapi.json", include_in_schema=False)
def description(ctx: Ctx) -> Plain:
    """Give the description of the API that programs read."""
    return Plain(described(ctx.request.app))


def described(app: FastAPI) -> dict[str, Any]:
    """Describe the API; what changes something sends people on, and programs data."""
    made: dict[str, Any] = app.openapi()
    on = {
        "303": {"description": "For browsers: it is done, and this page comes next."},
        "204": {"description": "For the scripts of our pages: as 303, in the header HX-Redirect."},
    }
    for methods in made["paths"].values():
        if "post" in methods:
            methods["post"]["responses"] |= on
    return made


@page(router, "/api", template="api.html")
def api(ctx: Ctx) -> Data:
    """List every address that gives or takes data."""
    told = described(ctx.request.app)
    return {
        "header": PROGRAM_HEADER,
        "version": told["info"]["version"],
        "operations": [
            {
                "method": method.upper(),
                "path": path,
                "summary": one.get("description") or one.get("summary", ""),
                "takes": [*_parameters(one), *_fields(one, told)],
            }
            for path, methods in told["paths"].items()
            for method, one in methods.items()
        ],
    }


def _parameters(operation: dict[str, Any]) -> list[str]:
    return [one["name"] for one in operation.get("parameters", []) if one["in"] != "path"]


def _fields(operation: dict[str, Any], described: dict[str, Any]) -> list[str]:
    """Name the fields of the form that an operation takes."""
    bodies = operation.get("requestBody", {}).get("content", {}).values()
    names: list[str] = []
    for body in bodies:
        schema = body.get("schema", {})
        where = schema.get("$ref", "").rpartition("/")[2]
        found = described.get("components", {}).get("schemas", {}).get(where, schema)
        names += found.get("properties", {})
    return names
