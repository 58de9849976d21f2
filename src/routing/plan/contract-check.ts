/** Whether the host of an endpoint takes what the request uses: `docs/providers/README.md#contracts`. */
import { formatAt } from '../../catalog/formats.js';
import type { Format } from '../../catalog/types.js';
import type { Untaken } from '../../formats/chat/untaken.js';
import { isNamed } from '../../formats/shared-capacity/left-out.js';
import { allowedAt, hasPrice } from '../../formats/shared-capacity/shapes-of-hosts.js';
import type { RequestDemands } from '../types.js';
import { excludedFor, type ReasonedExclusion } from './exclusion.js';
import type { ServedEndpoint } from './reach-checks.js';

type Demanded = Pick<RequestDemands, 'native' | 'uses' | 'contracts' | 'preferences'>;

/** What can't be made to fit excludes the endpoint; what is left out, or sent otherwise, only if parameters are required. */
export function fittingContract(served: ServedEndpoint, demands: Demanded): ReasonedExclusion | undefined {
  const { endpoint, provider } = served;
  const untaken = untakenAt(formatAt(demands.native?.format ?? 'chat', endpoint, provider), served, demands);
  const [first] = untaken;
  if (first === undefined) return undefined;
  const violations = untaken.map((one) => ({
    field: demands.uses.fieldOf(one),
    rule: 'unsupported',
    message: `${provider.name} takes ${one.rule}`,
  }));
  const detail = violations.map(({ field, message }) => `${field}: ${message}.`).join(' ');
  return { ...excludedFor('unsupported_parameter', detail), violations };
}

function untakenAt<F extends Format>(
  format: F,
  served: ServedEndpoint,
  { uses, contracts, preferences: { requireParameters } }: Demanded,
): readonly Untaken[] {
  const { endpoint, provider } = served;
  const used = uses.sentAs(format);
  const contractOf = contracts[provider.adapter][format];
  if (contractOf === null || (used.isPlain && !requireParameters)) return [];
  const contract = contractOf(endpoint, provider);
  const untaken = used.untakenBy(contract).filter((one) => !isLeftOut(one, served));
  return requireParameters ? [...untaken, ...used.unsupportedBy(contract)] : untaken;
}

/** Without a place the request would be served anywhere, which nothing else judges. */
const NEVER_LEFT_OUT: ReadonlySet<string> = new Set(['inference_geo']);

/** Shared capacity is sent without members that have no price; what that changes is judged elsewhere. */
function isLeftOut({ field, isMember }: Untaken, { endpoint, key }: ServedEndpoint): boolean {
  const isPriced = isMember === true && key === null && hasPrice(endpoint);
  return isPriced && !NEVER_LEFT_OUT.has(field) && !isNamed(allowedAt(endpoint), field);
}
