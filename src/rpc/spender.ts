import type { HandlerContext } from '@connectrpc/connect';
import { invalid, type Problem } from '../base/problem.js';
import { agentIn } from '../formats/agent.js';
import { END_USER_HEADER, endUserOf, endUserViolations, missingEndUser } from '../formats/end-user.js';
import type { JsonObject } from '../formats/json.js';
import { type InferenceRequest, type SentRequest, sentBody } from '../inference/ports/inference-request.js';
import type { Spender } from '../inference/ports/spender.js';
import type { EndUserRules } from '../ledger/end-users.js';

/** For whom a request spends. Throws a 400 Problem for headers that are not valid. */
export function spenderOf(
  { requestHeader }: Pick<HandlerContext, 'requestHeader'>,
  sent: SentRequest,
): Spender {
  const endUser = endUserIn(requestHeader, sent.format, sentBody(sent));
  const { agentId, parentAgentId } = agentIn(requestHeader);
  return { run: null, endUser, agentId, parentAgentId };
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
export function requireEndUser({ caller, spender, sent }: InferenceRequest): void {
  const refusal = endUserRefusal(caller.endUsers, spender.endUser, sent.format);
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
