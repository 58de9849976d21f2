/** How Anthropic refuses: `docs/providers/README.md#refusals-that-are-learned-from`. */
import { withoutBetaMembers } from '../../formats/messages/betas.js';
import { BETA_HEADER, betasIn, withBetas } from '../../formats/messages/headers.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';
import type { CallFeature, HostRefusals } from '../../inference/ports/refusals.js';

/** Beta features of the Messages API, which hosts of Claude refuse one by one. */
const BETAS: CallFeature = {
  kind: BETA_HEADER,
  adaptation: 'left_out',
  namesIn: ({ body, apiHeaders }) =>
    [...betasIn(apiHeaders), ...(Array.isArray(body.betas) ? body.betas.map(String) : [])].map(betaName),
  without: (call, name) => withoutBeta(call, name.slice(betaName('').length)),
};

export const ANTHROPIC_REFUSALS: HostRefusals = {
  members: { stop_sequences: 'stop' },
  unsupported: [/(?<![\w.])([\w.]{1,100}): Extra inputs are not permitted/g],
  overflow: [
    /prompt is too long: (?<tokens>\d{1,12}) tokens > (?<limit>\d{1,12}) maximum/,
    /prompt is too long/,
    /input length and `max_tokens` exceed context limit: (?<tokens>\d{1,12}) \+ \d{1,12} > (?<limit>\d{1,12})/,
  ],
  features: [BETAS],
};

/** The name of a beta feature in refusals. */
export function betaName(beta: string): string {
  return `${BETA_HEADER}:${beta}`;
}

/**
 * A beta feature is named in the body, in a header, or in both. Some have members in the body, which are removed with
 * it.
 */
function withoutBeta(call: UpstreamCall, beta: string): UpstreamCall {
  const inHeader = betasIn(call.apiHeaders);
  const { betas: inBody } = call.body;
  const isOther = (one: unknown) => one !== beta;
  const isInBody = Array.isArray(inBody) && inBody.includes(beta);
  const isInHeader = inHeader.includes(beta);
  if (!isInBody && !isInHeader) return call;
  const apiHeaders = withBetas(call.apiHeaders, inHeader.filter(isOther));
  const named = isInHeader ? { ...call, apiHeaders } : call;
  if (named.format === 'messages') return { ...named, body: withoutBetaMembers(named.body, [beta]) };
  if (named.format !== 'chat' || !isInBody) return named;
  return { ...named, body: { ...named.body, betas: inBody.filter(isOther) } };
}
