"""Who may see what: the organiser everything, a person their own work, others the way in.

On loopback whoever can reach the app is the organiser. Elsewhere the organiser has a token, and
people have links of their own; both become a signed session. Where another server passes requests
on, the app is told the address by which people reach it: links begin with it, and what names
another host or comes from a page of another address is refused.

What changes something must come from our own pages (a token of the session, in a field or a
header) or from a program (a header that pages of other sites cannot send).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from consilience.errors import UsageError, quote
from consilience.store.people import Respondent, person_by_id

if TYPE_CHECKING:
    from starlette.requests import Request

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: Names of this machine that never leave it.
LOOPBACK = ("localhost", "127.0.0.1", "::1")
#: The header with the session's token, and the header by which programs say that they are some.
TOKEN_HEADER, TOKEN_FIELD = "x-csrf-token", "csrf"
PROGRAM_HEADER = "x-consilience-client"
#: Headers by which other servers say that they pass a request on.
_PROXIES = re.compile("x-forwarded-.*|forwarded|x-real-ip|via")
#: Names and addresses of hosts, as browsers write them.
_HOST = re.compile("[a-z0-9._:-]+")
#: The ports that addresses leave out.
_PORTS = {"http": 80, "https": 443}
#: Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS")


class RefusedError(Exception):
    """The request may not be answered; ``status`` says how that is told."""

    def __init__(self, message: str, status: int = 403) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Access:
    """How the app may be reached: with a token, or (None) on loopback only and without.

    ``once`` opens the app as the token does, and then nothing any more. ``address`` is where people
    reach the app (:func:`address_of`); None: where they say that they do.
    """

    token: str | None = None
    once: str | None = None
    address: str | None = None

    @property
    def encrypted(self) -> bool:
        """Whether browsers reach the app by HTTPS."""
        return self.address is not None and self.address.startswith("https:")

    def home(self, request: Request) -> str:
        """Give what links to the app begin with."""
        return self.address or str(request.base_url).rstrip("/")

    @property
    def mark(self) -> str:
        """What a session of the organiser holds: another token, and it is worth nothing."""
        return hashlib.sha256(f"organiser {self.token}".encode()).hexdigest()

    def opens(self, given: str) -> bool:
        """Tell whether a token is the right one."""
        return self.token is not None and hmac.compare_digest(self.token.encode(), given.encode())

    def opens_once(self, given: str) -> bool:
        """Tell whether this is what opens the app once; it has done so then."""
        opens = self.once is not None and hmac.compare_digest(self.once.encode(), given.encode())
        self.once = None if opens else self.once
        return opens


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address never leaves this machine.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("::1")
    (True, False, True)
    """
    return host in LOOPBACK


def address_of(given: str) -> str:
    """See that people can reach an app at an address; give it as browsers write it.

    Examples
    --------
    >>> address_of("HTTPS://Bench.example.org:443/"), address_of("http://[0:0::1]:8765")
    ('https://bench.example.org', 'http://[::1]:8765')
    >>> address_of("https://example.org/bench")
    Traceback (most recent call last):
    consilience.errors.UsageError: 'https://example.org/bench' names a path, and ...
    """
    fix = "such as https://bench.example.org or http://127.0.0.1:8765"
    try:
        parts = urlsplit(given)
        name, port = _name(parts.hostname or ""), parts.port
    except ValueError:  # such as http://[ or a port that is no number
        name, port = "", None
    good = _HOST.fullmatch(name) and parts.scheme in _PORTS and port != 0
    if not good or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(f"{quote(given)} is no address of an app (fix: {fix})")
    if parts.path.strip("/"):
        found = f"{quote(given)} names a path, and the app needs a host of its own"
        raise UsageError(f"{found} (fix: {fix})")
    host = f"[{name}]" if ":" in name else name
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def _name(host: str) -> str:
    """Write a host's name or address as browsers do; nothing where they may write another one.

    Examples
    --------
    >>> _name("bücher.example"), _name("2001:db8:0::1"), _name("straße.example")
    ('xn--bcher-kva.example', '2001:db8::1', '')
    """
    if ":" in host:
        return str(IPv6Address(host))
    name = host.encode("idna")
    return name.decode() if host in (name.decode(), name.decode("idna")) else ""


def opens_here_only(address: str) -> bool:
    """Tell whether links that begin with an address open on this machine alone.

    Examples
    --------
    >>> opens_here_only("http://localhost:8765"), opens_here_only("https://bench.example.org")
    (True, False)
    """
    return is_loopback(urlsplit(address).hostname or "")


def check_host(request: Request, access: Access) -> None:
    """Refuse names that another site has pointed at this machine (DNS rebinding), and proxies."""
    name = _host(request.headers.get("host", ""))
    if access.token is None and any(_PROXIES.fullmatch(one) for one in request.headers):
        raise RefusedError(
            "this came through another server, and whoever reaches this app may do everything "
            "(fix: start it with --address, or with --token)",
            421,
        )
    if is_loopback(name):
        return
    if access.token is None:
        raise RefusedError(
            f"this app answers to localhost only, not to {name!r} (fix: open it as localhost, or "
            "start it with --host or --address)",
            421,
        )
    if access.address is not None and name != urlsplit(access.address).hostname:
        raise RefusedError(
            f"this app is at {access.address}, not at {name!r} (fix: open it there; a server that "
            "passes requests on must pass the header Host on as it came)",
            421,
        )


def check_site(request: Request) -> None:
    """Refuse what a page of another site loads or sends; a link that somebody follows is good.

    Browsers tell where a request comes from (Fetch Metadata); programs tell nothing.
    """
    headers = request.headers
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return
    way = (request.method, headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    if way != ("GET", "navigate", "document"):
        raise RefusedError("this came from a page of another site")


def _host(header: str) -> str:
    """Take the name out of a Host header.

    Examples
    --------
    >>> _host("localhost:8000"), _host("[::1]:8000"), _host("")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _place(origin: str) -> str | None:
    """Take host and port out of an Origin header; None where it is none.

    Examples
    --------
    >>> _place("http://localhost:8000"), _place("null"), _place("http://[")
    ('localhost:8000', '', None)
    """
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_own(origin: str, request: Request) -> bool:
    """Tell whether an Origin header names this app: by its address, where it has one."""
    address, host = request.app.state.access.address, request.headers.get("host", "")
    if address is None or is_loopback(_host(host)):
        return origin == address or _place(origin) == host
    return bool(origin == address)


def is_organiser(request: Request, access: Access) -> bool:
    """Tell whether everything may be shown."""
    if access.token is None:
        return True
    held = str(request.session.get("organiser", ""))
    return hmac.compare_digest(held.encode(), access.mark.encode()) or _bears(request, access)


def _bears(request: Request, access: Access) -> bool:
    """Tell whether a request carries the token itself, as programs send it."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and access.opens(token.strip())


def person_of_session(request: Request, db: Database) -> tuple[Project, Respondent] | None:
    """Find whose link opened this session; None where it was taken back since."""
    held: Any = request.session.get("person")
    if not isinstance(held, list) or len(held) != 2:
        return None
    found = person_by_id(db, int(held[0]))
    if found is None or found[1].link_hash is None:
        return None
    return found if hmac.compare_digest(str(held[1]), found[1].link_hash) else None


def csrf_token(request: Request) -> str:
    """Give the token that forms of this session carry."""
    return str(request.session.setdefault("csrf", secrets.token_urlsafe(24)))


async def check_change(request: Request) -> None:
    """See that a request that changes something comes from our own pages, or from a program."""
    if request.method in SAFE:
        return
    origin = request.headers.get("origin")
    if origin is not None and not _is_own(origin, request):
        raise RefusedError("this came from a page of another site")
    if request.headers.get(PROGRAM_HEADER) or _bears(request, request.app.state.access):
        return
    given = request.headers.get(TOKEN_HEADER)
    if given is None and request.headers.get("content-type", "").startswith(
        ("application/x-www-form-urlencoded", "multipart/form-data")
    ):
        given = str((await request.form()).get(TOKEN_FIELD, ""))
    held = request.session.get("csrf")
    said = (given or "").encode(errors="replace")
    if not held or not hmac.compare_digest(str(held).encode(), said):
        raise RefusedError(
            "this form is out of date, or came from elsewhere (fix: open the page again and repeat;"
            f" programs send the header {PROGRAM_HEADER})"
        )
