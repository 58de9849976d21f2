import type { HandlerContext } from '@connectrpc/connect';
import { type NanoUsd, parseUsd } from '../base/money.js';
import { invalid, type Problem, type Violation } from '../base/problem.js';
import { agentIn } from '../formats/agent.js';
import { END_USER_HEADER, endUserOf, endUserViolations, missingEndUser } from '../formats/end-user.js';
import type { JsonObject } from '../formats/json.js';
import type { Attribution } from '../inference/ports/attribution.js';
import { type InferenceRequest, type SentRequest, sentBody } from '../inference/ports/inference-request.js';
import type { EndUserRules } from '../ledger/end-users.js';
import type { NamedRun } from '../ledger/runs.js';

/** Names a run of the API key. */
const RUN = 'X-Byway-Run';

/** The most that the run may spend, in USD. */
const RUN_LIMIT = 'X-Byway-Run-Limit-Usd';

/** For whom a request spends. Throws a 400 Problem for headers that are not valid. */
export function attributionOf(
  { requestHeader }: Pick<HandlerContext, 'requestHeader'>,
  sent: SentRequest,
): Attribution {
  const endUser = endUserIn(requestHeader, sent.format, sentBody(sent));
  const { agentId, parentAgentId } = agentIn(requestHeader);
  return { run: runOf(requestHeader), endUser, agentId, parentAgentId };
}

/** The end user that headers or a body of a format name; null = nobody. Throws a 400 Problem for a header that is not valid. */
export function endUserIn(
  headers: Pick<Headers, 'get'>,
  format: SentRequest['format'],
  body: JsonObject,
): string | null {
  const header = headers.get(END_USER_HEADER);
  const violations = endUserViolations(header);
  if (violations.length > 0) throw invalid(violations);
  return endUserOf(header, format, body);
}

/** Throws a 400 Problem where the API key requires an end user and the request names none. */
export function requireEndUser({ caller, attribution, sent }: InferenceRequest): void {
  const refusal = endUserRefusal(caller.endUsers, attribution.endUser, sent.format);
  if (refusal !== undefined) throw refusal;
}

/** What a request for this end user (null = nobody) is refused with; undefined where it is not. */
export function endUserRefusal(
  rules: EndUserRules | null,
  endUser: string | null,
  format: SentRequest['format'],
): Problem | undefined {
  return rules?.isRequired && endUser === null ? invalid([missingEndUser(format)]) : undefined;
}

/** The run that a request is a part of; null = none. Throws a 400 Problem that names the header. */
export function runOf(headers: Headers): NamedRun | null {
  const name = headers.get(RUN);
  const limit = headers.get(RUN_LIMIT);
  if (name === null && limit === null) return null;
  const limitNanoUsd = limit === null ? null : limitIn(limit);
  const violations: Violation[] = [];
  if (name === null) violations.push(NO_RUN);
  else if (!NAME.test(name)) violations.push(BAD_NAME);
  if (limitNanoUsd === undefined) violations.push(BAD_LIMIT);
  if (name === null || limitNanoUsd === undefined || violations.length > 0) throw invalid(violations);
  return { name, limitNanoUsd };
}

/** Visible ASCII characters. */
const NAME = /^[!-~]{1,128}$/;

const LIMIT = /^\d{1,10}(\.\d{1,9})?$/;

/** 1e9 USD. */
const MAX_LIMIT_NANO_USD: NanoUsd = 10n ** 18n;

function limitIn(text: string): NanoUsd | undefined {
  const limit = LIMIT.test(text) ? parseUsd(text) : undefined;
  return limit === undefined || limit > MAX_LIMIT_NANO_USD ? undefined : limit;
}

const NO_RUN = { field: RUN, rule: 'required', message: `must name the run that ${RUN_LIMIT} limits` };
const BAD_NAME = {
  field: RUN,
  rule: 'pattern',
  message: 'must have 1 to 128 visible ASCII characters, without spaces',
};
const BAD_LIMIT = {
  field: RUN_LIMIT,
  rule: 'range',
  message: 'must be a decimal from 0 to 1000000000 with at most 9 decimals, such as 2.50',
};
