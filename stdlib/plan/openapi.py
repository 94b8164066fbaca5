"""How the tools of an OpenAPI source are called over HTTP.

An operation says where each argument goes (OpenAPI 3.1 section 4.8: Parameter, Request Body, Encoding, Responses and
Security Requirement Objects) in a form that needs no document at run time. Secrets are names of variables.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .model import Model

Location = Literal["path", "query", "header", "cookie"]
Style = Literal["simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"]


class Parameter(Model):
    """The argument `argument` as the parameter `name`. `json_text`: written as JSON, not by style.

    `reserved`: characters that structure no query (`:/?@!$'()*,;`) stay as they are.
    """

    argument: str
    name: str
    location: Location
    style: Style
    explode: bool = False
    reserved: bool = False
    json_text: bool = False


class BodyField(Model):
    """The argument `argument` as the field `name` of the body.

    `content` counts in multipart and form bodies: `text` (lists repeat the field), `json`, or `file` (base64 in the
    argument, bytes on the wire). `style` and `explode` are for forms. `media_type` is that of the part.
    """

    argument: str
    name: str
    content: Literal["text", "json", "file"] = "text"
    style: Style = "form"
    explode: bool = True
    media_type: str | None = None


class Body(Model):
    """What is sent: the value of `argument`, or without one an object of the arguments that `fields` name.

    With `argument`, `fields` say how fields of its value are written where the encoding is form or multipart.
    `required`: sent as an empty object where no field is given. Encoding `file`: base64 in the argument.
    """

    encoding: Literal["json", "form", "multipart", "text", "file"]
    media_type: str
    argument: str | None = None
    fields: tuple[BodyField, ...] = ()
    required: bool = False


class Response(Model):
    """`status` is `200`, `2XX` or `default`. `none`: whatever comes counts as null. `bytes`: base64 as a value."""

    status: str
    body: Literal["json", "text", "bytes", "none"]


class Operation(Model):
    """One request. `path` is a template below the base URL; `server` is used instead of the base URL, where it is
    relative below it.

    `security`: alternatives, each the names of all credentials that it needs; one without names is public. None: the
    document says nothing, so what the source has for everything is sent. `raw`: no success has a described body, so
    the answer is its text.
    """

    method: str
    path: str
    server: str | None = None
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    accept: tuple[str, ...] = ()
    responses: tuple[Response, ...] = ()
    raw: bool = False
    security: tuple[tuple[str, ...], ...] | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether `server` names a place of its own, and none below the base URL; `//host/path` is one, too."""
        return self.server is not None and self.server.lower().startswith(("http://", "https://", "//"))


class Bearer(Model):
    """`Authorization: Bearer …` (RFC 6750), the token from a variable."""

    kind: Literal["bearer"] = "bearer"
    variable: str


class Basic(Model):
    """`Authorization: Basic …` (RFC 7617). Without `password_variable` the variable holds `user:password`."""

    kind: Literal["basic"] = "basic"
    variable: str
    password_variable: str | None = None


class ApiKey(Model):
    """A key as header, query parameter or cookie."""

    kind: Literal["api_key"] = "api_key"
    location: Literal["header", "query", "cookie"]
    name: str
    variable: str


Credential = Annotated[Bearer | Basic | ApiKey, Field(discriminator="kind")]


def credential_variables(credential: Credential) -> tuple[str, ...]:
    """The variables that a credential is read from."""
    if isinstance(credential, Basic) and credential.password_variable is not None:
        return credential.variable, credential.password_variable
    return (credential.variable,)


class Network(Model):
    """Where requests may go beside a source's own base URL. `*.example.org` fits what lies below it.

    `private_networks`: private and loopback addresses may be reached, too; link-local ones never. `roots`: the folders
    that paths in arguments may lie in, relative to where the server runs; none: paths are not looked at.
    """

    hosts: tuple[str, ...] = ()
    private_networks: bool = False
    roots: tuple[str, ...] = ()


class OpenApi(Model):
    """How to reach the service of a document. `operations` by the key of the tool; `auth` by the name of the scheme
    in the document; `auth_for_all` are the names sent where the document says nothing about security."""

    kind: Literal["openapi"] = "openapi"
    base_url: str
    auth: dict[str, Credential] = {}
    auth_for_all: tuple[str, ...] = ()
    operations: dict[str, Operation] = {}

    def at(self, base_url: str) -> OpenApi:
        """The whole service at another place: a URL that somebody gives stands for every server of the document."""
        here = {
            key: each.model_copy(update={"server": None}) if each.elsewhere else each
            for key, each in self.operations.items()
        }
        return self.model_copy(update={"base_url": base_url, "operations": here})
