"""Secrets from the environment, as an operation needs them. They go into the request and nowhere else."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping

from ..plan.openapi import ApiKey, Basic, Bearer, OpenApi, Operation, credential_variables
from ..runtime.clean import compact
from ..runtime.fault import fault
from ..values.auth_to_write import auth_to_write
from .request import Prepared
from .secrets import Secrets
from .styles import Unsendable, encoded, one_line


def authorize(
    name: str, source: OpenApi, operation: Operation, prepared: Prepared, secrets: Secrets
) -> dict[str, tuple[str, ...]]:
    """Add what the operation needs to the request: of the alternatives the first that the source can follow. Gives the
    variables that were read, by the scheme.

    `name`: of the source. Raises `denied` where it can follow none, `unavailable` where a variable is not set.
    """
    chosen = _chosen(name, source, operation)
    for scheme in chosen:
        credential = source.auth[scheme]
        match credential:
            case Bearer(variable=variable):
                token = _value(name, scheme, variable, secrets)
                prepared.headers.append(("Authorization", f"Bearer {token}"))
            case Basic():
                prepared.headers.append(("Authorization", _basic(name, scheme, credential, secrets)))
            case ApiKey(location="header", name=header, variable=variable):
                prepared.headers.append((header, _value(name, scheme, variable, secrets)))
            case ApiKey(location="query", name=field, variable=variable):
                key = encoded(_value(name, scheme, variable, secrets))
                secrets.add(key)
                prepared.query.append((encoded(field), key))
            case ApiKey(location="cookie", name=field, variable=variable):
                key = encoded(_value(name, scheme, variable, secrets))
                secrets.add(key)
                prepared.cookies.append(f"{field}={key}")
    return {scheme: credential_variables(source.auth[scheme]) for scheme in chosen}


def where_to_look(used: Mapping[str, tuple[str, ...]], status: int, away: str = "") -> str:
    """What to do where a service refuses a call (RFC 9110: 401 means the credentials, 403 perhaps rights only).

    `used`: the variables of the credentials that the first request had, by the scheme. `away`: the origin that
    redirects led to, after which none is sent.
    """
    if used and away:
        return (
            f"The call was redirected to {away}, where the credentials of the source do not go. If they may go there, "
            "write that place as the `base_url` of the source."
        )
    rights = "Ask somebody who may do this, or look" if status == 403 else "Look"
    if not used:
        return f"{rights} at the `auth` of the source: no credential was sent, because the document asks for none here."
    names = list(dict.fromkeys(f"`{variable}`" for variables in used.values() for variable in variables))
    schemes = " and ".join(f"`{scheme}`" for scheme in used)
    noun = "variable" if len(names) == 1 else "variables"
    return f"{rights} at the `auth` of the source, and at the {noun} {' and '.join(names)} of {schemes}."


def _chosen(name: str, source: OpenApi, operation: Operation) -> tuple[str, ...]:
    if operation.security is None:
        return source.auth_for_all
    followed = [each for each in operation.security if all(scheme in source.auth for scheme in each)]
    if not operation.security:
        return ()
    if not followed:
        wanted = " or ".join(" and ".join(f"`{scheme}`" for scheme in each) for each in operation.security)
        message = f"`{name}` wants {wanted} for this call, and has no credential for it."
        raise fault("denied", message, sent=False, next=auth_to_write(name, operation.security[0]))
    return next((each for each in followed if each), ())


def _value(name: str, scheme: str, variable: str, secrets: Secrets, environ: Mapping[str, str] = os.environ) -> str:
    found = environ.get(variable)
    if not found:
        message = f"The credential `{scheme}` of `{name}` comes from the variable `{variable}`, which is not set."
        raise fault("unavailable", message, sent=False, lasting=True, next=f"Set `{variable}` and call again.")
    secrets.add(found, compact(found)[1:-1])  # also as JSON has it: errors may be told so
    try:
        return one_line(found)
    except Unsendable as problem:
        message = f"The variable `{variable}` holds no credential: it {problem.problem}."
        raise fault("unavailable", message, sent=False, lasting=True, next=f"Correct `{variable}`.") from None


def _basic(name: str, scheme: str, credential: Basic, secrets: Secrets) -> str:
    pair = _value(name, scheme, credential.variable, secrets)
    if credential.password_variable is not None:
        pair = f"{pair}:{_value(name, scheme, credential.password_variable, secrets)}"
    written = base64.b64encode(pair.encode()).decode()
    secrets.add(written, pair.partition(":")[2])
    return f"Basic {written}"
