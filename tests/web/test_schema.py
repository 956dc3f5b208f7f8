"""What the API describes is what it does, whatever is sent: no failures, no answers untold of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests import postgres
from tests.web import worlds
from tests.web.served import PROGRAM, Served, serving
from tests.web.worlds import World, by_number

#: How many requests are tried for each address that takes something.
TRIED = 14


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A running app, on each kind of database."""
    folder: Path = tmp_path_factory.mktemp("schema")
    if request.param == "sqlite":
        with serving(folder / "study.db") as served:
            yield served
        return
    with (
        postgres.server() as server,
        serving(server.fresh(), files=folder / "files") as served,
    ):
        yield served


@pytest.fixture(scope="module")
def known(app: Served) -> Iterator[dict[str, list[Any]]]:
    """Names of what is there, for the parts of addresses."""
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        world = World(client, app.db)
        slugs = [worlds.runs(world), worlds.pictures(world), world.begin("Empty")]
        world.ask(slugs[0], "grades", ["Ann"], confidence="true")
        world.say(world.links["Ann"], 3, by_number)
        ids = [world.data(f"/p/{slug}/compare.json")["result"]["id"] for slug in slugs[:2]]
        yield {
            "slug": slugs,
            "id": ids,
            "number": [1, 2, 3, 40],
            "query": [1, 2],
            "item": [1, 2, 3],
            "fmt": ["json", "html", "csv", "latex", "qrels"],
            "link": [world.links["Ann"]],
        }


def test_no_answer_is_a_failure(
    app: Served, known: dict[str, list[Any]], request: pytest.FixtureRequest
) -> None:
    described = schemathesis.openapi.from_url(f"{app.url}/openapi.json")
    tried = TRIED if request.node.callspec.params["app"] == "sqlite" else TRIED // 4
    checks = [status_code_conformance, response_schema_conformance]
    statuses: list[int] = []
    with httpx.Client(base_url=app.url, timeout=60) as person:
        cookies = dict(person.get(known["link"][0]).cookies)

    def call(case: Case[Any], names: dict[str, Any]) -> None:
        here = {name: value for name, value in names.items() if name in case.path_parameters}
        case.path_parameters.update(here)
        case.cookies.update(cookies)
        for name in ("accept", "x-consilience-client"):
            case.headers[name] = PROGRAM[name]
        answer = case.call(timeout=60)
        assert answer.status_code < 500, case.as_curl_command()
        case.validate_response(answer, checks=checks)
        statuses.append(answer.status_code)

    for result in described.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        takes = operation.body or operation.query
        cases = st.one_of(
            operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
            operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
        )
        names = st.fixed_dictionaries(
            {name: st.sampled_from(some) for name, some in known.items() if name != "link"}
        )
        steady = settings(
            max_examples=tried if takes else max(tried // 4, 2),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        seed(8)(steady(given(case=cases, names=names)(call)))()
    assert len(statuses) > 90
    assert {200, 404, 422} <= set(statuses)
