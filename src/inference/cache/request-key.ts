import type { Hmac } from 'node:crypto';
import { canonicalJson } from '../../base/json/json-body.js';
import { runInSlices } from '../../base/time-slices.js';
import { members } from '../../formats/json.js';
import type { Attempt } from '../../routing/types.js';
import { type InferenceRequest, sentBody } from '../ports/inference-request.js';

/** Counts up whenever what is kept of an answer changes, so that no version finds what another has kept. */
const KEPT_VERSION = 1;

/** The key of a request's answer, in hex: the same for requests that may have the same answer, and for no others. */
export async function requestKey(
  request: InferenceRequest,
  attempts: readonly Attempt[],
  hash: Hmac,
): Promise<string> {
  await runInSlices(canonicalJson(asked(request, attempts), (text) => hash.update(text)));
  return hash.digest('hex');
}

/**
 * What an answer depends on: the request with its models as they are resolved now, without what only says how it is served
 * and for whom; and who shares it.
 */
function asked({ sent, caller, attribution, apiHeaders }: InferenceRequest, attempts: readonly Attempt[]) {
  const { model, models, cache, stream, stream_options, user, metadata, session_id, provider, ...body } =
    sentBody(sent);
  // Requests in formats of their own are sent without it.
  const { timeouts_ms, ...preferences } = members(sent.chat.provider);
  return {
    version: KEPT_VERSION,
    format: sent.format,
    workspace: caller.workspaceId,
    endUser: caller.endUsers?.isRequired === true ? attribution.endUser : null,
    models: [...new Set(attempts.map(({ endpoint }) => endpoint.modelId))],
    headers: apiHeaders ?? {},
    preferences,
    body,
  };
}
