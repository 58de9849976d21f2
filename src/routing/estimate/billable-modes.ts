import { BASE_MODE } from '../../catalog/modes.js';
import { MODE_KINDS, type ModeKind } from '../../catalog/types.js';
import { AT_BASE, type BilledMode } from '../../ledger/pricing/rates.js';
import type { Attempt } from '../types.js';
import type { RequestSize } from './request-size.js';

const AT_BASE_ALONE: readonly BilledMode[] = [AT_BASE];

/**
 * The modes that a request may be billed in at an endpoint: those that it asks for, each of which the host may deny, and
 * where the host may choose, all that have a price.
 */
export function billableModes(
  { modes }: Pick<RequestSize, 'modes'>,
  { endpoint, provider }: Pick<Attempt, 'endpoint' | 'provider'>,
): readonly BilledMode[] {
  const { modes: priced = [] } = endpoint.pricing;
  if (priced.length === 0) return AT_BASE_ALONE;
  const { mode, open } = modes.at(endpoint, provider);
  if (mode === BASE_MODE && open.length === 0) return AT_BASE_ALONE;
  const wordsOf = (kind: ModeKind): readonly (string | undefined)[] => {
    const asked = open.includes(kind) ? priced.map(({ words }) => words[kind]) : [mode[kind]];
    return [...new Set([undefined, ...asked])];
  };
  return MODE_KINDS.reduce<readonly BilledMode[]>(
    (found, kind) =>
      wordsOf(kind).flatMap((word) =>
        word === undefined ? found : found.map((one) => ({ ...one, mode: { ...one.mode, [kind]: word } })),
      ),
    AT_BASE_ALONE,
  );
}
