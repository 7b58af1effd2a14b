"""Sign-in at an issuer in a browser, with the real page and a real server: code flow with PKCE, and what breaks it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from memory_layer.manifest import env
from tests.console.browsing import Browsing
from tests.console.conftest import reason_to_skip
from tests.console.oidc_issuer import CLIENT, Issuer, issuing
from tests.e2e.test_serve_process import PROGRAM, serving

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

PLACE = "#/shop/memories?category=decision"
NOT_BEGUN = "not begun here"
WRITTEN = "The office closes at five on Fridays."


@pytest.fixture(scope="module")
def running_issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def issuer(running_issuer: Issuer) -> Issuer:
    """The issuer, which spoils nothing yet."""
    running_issuer.spoils.clear()
    running_issuer.refused.clear()
    running_issuer.codes.clear()
    return running_issuer


@pytest.fixture(scope="module")
def server(running_issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """Server with --auth that is told of the issuer."""
    if (reason := reason_to_skip()) is not None:
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(env.ISSUER, running_issuer.url)
        patched.setenv(env.CONSOLE_CLIENT, CLIENT)
        with serving(tmp_path_factory.mktemp("issuer") / "data", "--auth") as (_, client):
            headers = {"authorization": f"Bearer {running_issuer.token(roles=['admin'])}"}
            said = {"content": "The office opens at nine."}
            assert client.post("/v1/projects/shop/memories", json=said, headers=headers).is_success
            yield client


def sign_in(browsing: Browsing) -> None:
    browsing.page.goto(f"{browsing.origin}/{PLACE}")
    browsing.page.get_by_role("button", name="Sign in").click()


def test_a_person_signs_in_and_is_back_where_they_wanted(browsing: Browsing, issuer: Issuer) -> None:
    """The way leads over the issuer's page; code and state leave the address, and no token is kept by the browser."""
    sign_in(browsing)
    expect(browsing.page.locator(".top-caller")).to_have_text("ada@shop.test")
    expect(browsing.page).to_have_url(f"{browsing.origin}/{PLACE}")
    names = browsing.page.get_by_role("navigation", name="Pages").first
    expect(names.get_by_role("link", name="Inbox")).to_be_visible()
    expect(names.get_by_role("link", name="Settings")).to_have_count(0)
    kept = browsing.page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "verifier" not in kept
    assert "eyJ" not in kept
    assert issuer.refused == []


@pytest.mark.parametrize(
    ("spoils", "told"),
    [
        ({"state": "of-somebody-else"}, NOT_BEGUN),
        ({"iss": "https://elsewhere.test"}, NOT_BEGUN),
        ({"code": "stolen"}, "the code was used"),
        ({"error": "access_denied", "error_description": "Ada said no"}, "Ada said no"),
    ],
    ids=["state", "issuer", "code", "refusal"],
)
def test_an_answer_that_is_not_right_signs_nobody_in_and_is_told(
    browsing: Browsing, issuer: Issuer, spoils: dict[str, str], told: str
) -> None:
    """Falls where the state is not compared: a foreign page could sign its visitor in as somebody else."""
    browsing.may_be_refused = True
    issuer.spoils.update(spoils)
    sign_in(browsing)
    expect(browsing.page.get_by_role("alert")).to_contain_text(told)
    expect(browsing.page.locator(".top-caller")).to_have_count(0)
    assert not re.search("code=|state=", browsing.page.url)


def test_a_code_is_good_once(browsing: Browsing, issuer: Issuer) -> None:
    """Falls where the attempt outlives its first answer."""
    asked: list[str] = []
    browsing.page.on("request", lambda one: asked.append(one.url) if "?code=" in one.url else None)
    sign_in(browsing)
    expect(browsing.page.locator(".top-caller")).to_have_text("ada@shop.test")
    browsing.page.goto("about:blank")
    browsing.page.goto(asked[0])
    expect(browsing.page.get_by_role("alert")).to_contain_text(NOT_BEGUN)
    assert parse_qs(urlsplit(asked[0]).query)["code"][0] not in issuer.codes
    assert issuer.refused == []


@pytest.fixture
def typed(browsing: Browsing, issuer: Issuer, server: httpx2.Client, end_session: Callable[[], None]) -> Any:
    """Field with words about a memory, whose session has ended."""
    headers = {"authorization": f"Bearer {issuer.token(roles=['admin'])}"}
    said = {"content": "The office closes at six.", "on_duplicate": "create"}
    path = "/v1/projects/shop/memories"
    id = server.post(path, json=said, headers=headers).raise_for_status().json()["id"]
    sign_in(browsing)
    expect(browsing.page.locator(".top-caller")).to_have_text("ada@shop.test")
    browsing.go(f"shop/memories/{id}?form=edit")
    field = browsing.page.get_by_label("Content")
    field.fill(WRITTEN)
    field.blur()
    end_session()
    server.patch(f"{path}/{id}", json={"tags": ["theirs"]}, headers=headers).raise_for_status()
    expect(again(browsing)).to_be_visible()
    return field


def again(browsing: Browsing) -> Any:
    return browsing.page.get_by_role("dialog", name="Sign in again")


def open_window(browsing: Browsing) -> Any:
    """Window of the issuer's page, which comes back by itself."""
    with browsing.page.expect_popup() as opened:
        again(browsing).get_by_role("button", name="Sign in, in a window").click()
    return opened.value


def test_typed_words_are_there_after_signing_in_again_in_a_window(
    browsing: Browsing, issuer: Issuer, typed: Any
) -> None:
    """Falls where the sign-in leaves the page, and where a token or a verifier is left in the browser."""
    here = browsing.page.url
    window = open_window(browsing)
    expect(again(browsing)).to_have_count(0)
    expect(typed).to_have_value(WRITTEN)
    expect(browsing.page.locator("main")).to_contain_text("theirs")
    assert browsing.page.url == here
    if not window.is_closed():
        window.wait_for_event("close")
    kept = browsing.page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "verifier" not in kept
    assert "eyJ" not in kept
    assert issuer.refused == []


@pytest.mark.parametrize("state", ["of-somebody-else", "window.of-somebody-else"])
def test_an_answer_to_another_attempt_is_taken_by_no_page(
    browsing: Browsing, issuer: Issuer, typed: Any, state: str
) -> None:
    """Falls where the page that waits takes an answer of any state."""
    browsing.may_be_refused = True
    issuer.spoils["state"] = state
    window = open_window(browsing)
    expect(window.get_by_role("alert")).to_contain_text(NOT_BEGUN)
    expect(again(browsing).get_by_role("alert")).to_contain_text("the session has ended")
    expect(typed).to_be_hidden()
    assert len(issuer.codes) == 1
    issuer.spoils.clear()
    issuer.codes.clear()
    open_window(browsing)
    expect(again(browsing)).to_have_count(0)
    expect(typed).to_have_value(WRITTEN)


def test_a_refusal_of_the_issuer_is_told_on_the_page(browsing: Browsing, issuer: Issuer, typed: Any) -> None:
    issuer.spoils.update({"error": "access_denied", "error_description": "Ada said no"})
    open_window(browsing)
    expect(again(browsing).get_by_role("alert")).to_contain_text("Ada said no")
    expect(typed).to_be_hidden()


@pytest.mark.usefixtures("typed")
def test_a_window_that_the_browser_does_not_open_is_told(browsing: Browsing, issuer: Issuer) -> None:
    browsing.page.evaluate("() => { window.open = () => null; }")
    again(browsing).get_by_role("button", name="Sign in, in a window").click()
    expect(again(browsing).get_by_role("alert")).to_contain_text("keeps this page from opening a window")
    assert issuer.codes == {}


def test_a_pasted_token_opens_it_as_well(browsing: Browsing, issuer: Issuer) -> None:
    browsing.page.goto(f"{browsing.origin}/{PLACE}")
    browsing.page.get_by_label("Or paste a token").fill(issuer.token(email="bob@shop.test", sub="bob"))
    browsing.page.get_by_role("button", name="Use this token").click()
    expect(browsing.page.locator(".top-caller")).to_have_text("bob@shop.test")


def test_an_issuer_that_does_not_answer_is_told(browsing: Browsing, issuer: Issuer) -> None:
    browsing.may_be_refused = True
    browsing.page.route(re.compile("openid-configuration"), lambda route: route.abort())
    sign_in(browsing)
    expect(browsing.page.get_by_role("alert")).to_contain_text(f"{issuer.url} does not answer")


def test_the_policy_of_the_page_names_the_issuer_alone(server: httpx2.Client, issuer: Issuer) -> None:
    policy = server.get("/").headers["content-security-policy"]
    assert f"connect-src 'self' {issuer.url};" in policy
    assert server.get("/console/config.json").json()["oidc"]["client_id"] == CLIENT


def test_a_client_of_no_issuer_is_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(env.ISSUER, raising=False)
    monkeypatch.setenv(env.CONSOLE_CLIENT, CLIENT)
    command = [sys.executable, "-c", PROGRAM, "serve", "--auth", "--port", "0", "--data", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode != 0
    assert f"set {env.ISSUER} as well" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_folder_without_an_issuer_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(env.CONSOLE_CLIENT, raising=False)
    with serving(tmp_path, "--auth") as (_, client):
        assert client.get("/console/config.json").json()["oidc"] is None
        assert "connect-src 'self';" in client.get("/").headers["content-security-policy"]
