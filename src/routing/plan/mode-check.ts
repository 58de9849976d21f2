/** Checks of the mode that a request asks for: `docs/routing.md#modes-without-a-price`. */
import { unpricedModes } from '../../catalog/modes.js';
import { isFree } from '../../catalog/price.js';
import { allowedAt } from '../../formats/shared-capacity/shapes-of-hosts.js';
import type { Attempt, RequestDemands } from '../types.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import type { ServedEndpoint } from './reach-checks.js';

/**
 * Over billed shared capacity nothing is asked for that has no price, unless the operator admits the member, whatever it
 * costs.
 */
export function unpricedMode(
  { endpoint, provider, key }: Attempt,
  { modes, isBilled }: Pick<RequestDemands, 'modes' | 'isBilled'>,
): ReasonedExclusion | undefined {
  if (key !== null || !isBilled || isFree(endpoint.pricing)) return undefined;
  const { mode } = modes.at(endpoint, provider);
  const admitted = allowedAt(endpoint);
  const unpriced = unpricedModes(endpoint.pricing.modes, mode).filter((name) => !admitted.has(kindIn(name)));
  if (unpriced.length === 0) return undefined;
  return excludedFor(
    'unpriced_mode',
    `The request asks for ${unpriced.join(' and ')}, of which price_modes of the endpoint has no price.`,
  );
}

/** `speed` of `speed:fast`. */
function kindIn(name: string): string {
  return name.slice(0, name.indexOf(':'));
}

/** Without its place the request would be served anywhere, whoever asks for it. */
export function keptGeo(
  { endpoint, provider }: ServedEndpoint,
  { modes, uses }: Pick<RequestDemands, 'modes' | 'uses'>,
): ReasonedExclusion | undefined {
  if (!uses.namesGeo || !modes.at(endpoint, provider).leftOut.includes(GEO)) return undefined;
  const message = `${provider.name} takes no \`${GEO}\``;
  const violations = [{ field: GEO, rule: 'unsupported', message }];
  return { ...excludedFor('unsupported_parameter', `${GEO}: ${message}.`), violations };
}

const GEO = 'inference_geo';

/** Where all parameters must be supported, the host must have a word for the tier. */
export function sayableMode(
  { endpoint, provider }: ServedEndpoint,
  { modes, preferences }: Pick<RequestDemands, 'modes' | 'preferences'>,
): ReasonedExclusion | undefined {
  if (!preferences.requireParameters) return undefined;
  const { leftOut } = modes.at(endpoint, provider);
  const [first] = leftOut;
  return first === undefined
    ? undefined
    : excludedFor('unsupported_parameter', `The host of the endpoint has no word for ${first}.`);
}
