/** Rules of policies over one endpoint: which data policy it meets, which regions it runs in (spec 4.5.7, interface section 4). */
import type { Endpoint, Provider } from '../catalog/types.js';

/** The region of the ordinary host, which every endpoint satisfies. */
export const GLOBAL_REGION = 'global';

/** Where the endpoint runs unless a credential says otherwise: its own region, else its provider's; empty = global. */
export function regionsOf({ region }: Endpoint, { regions }: Provider): readonly string[] {
  if (region === null) return regions;
  return region === GLOBAL_REGION ? [] : [region];
}

/** Whether calls that may run in any of these regions stay within the wanted one; global capacity satisfies none. */
export function staysWithin(wanted: string, regions: readonly string[]): boolean {
  if (wanted === GLOBAL_REGION) return true;
  return regions.length > 0 && regions.every((region) => covers(wanted, region));
}

function covers(wanted: string, region: string): boolean {
  if (region === wanted || region.startsWith(`${wanted}-`)) return true;
  return wanted === 'eu' && region.startsWith('europe-');
}
