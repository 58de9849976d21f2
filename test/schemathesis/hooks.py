"""Checks that replace built-in ones where the description can't express the server's rules. See schemathesis.toml."""

import re
import time

import schemathesis
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance, response_schema_conformance

# The gateway answers 429 to more than 20 failed authentications in a second; a check makes two.
SECONDS_FOR_TWO_FAILED_AUTHENTICATIONS = 0.1


@schemathesis.check
class ValidDataIsAccepted:
    """As `positive_data_acceptance`, but a 400 is fine where all its violations are of the listed rules, and a 402 as a 403 is."""

    def __init__(self, rules):
        self.rules = rules

    def after_response(self, ctx, response, case):
        # A run may have a limit that is spent.
        if response.status_code == 402 and response.json()["error"]["metadata"]["reason"] == "run_limit_exceeded":
            return
        if response.status_code == 400:
            # Messages and Responses say 400 where nothing serves a request, as others say 404.
            if response.json()["error"]["metadata"]["reason"] == "no_endpoint":
                return
            violations = response.json()["error"]["metadata"].get("violations", [])
            names = [re.sub(r"\[\d+\]", "[]", f"{one['field']} {one['rule']}") for one in violations]
            if names and all(name in self.rules for name in names):
                return
        positive_data_acceptance(ctx, response, case)


@schemathesis.check
def json_answer_conformance(ctx, response, case):
    """As `response_schema_conformance`, but for streams of events."""
    if response.headers.get("content-type", [""])[0].startswith("text/event-stream"):
        return
    response_schema_conformance(ctx, response, case)


@schemathesis.check
def enforced_authentication(ctx, response, case):
    """As `ignored_auth`, but never faster than the gateway lets an address fail."""
    if 200 <= response.status_code < 300 and case.operation.label not in (ctx.auth_enforced_operations or ()):
        time.sleep(SECONDS_FOR_TWO_FAILED_AUTHENTICATIONS)
    ignored_auth(ctx, response, case)
