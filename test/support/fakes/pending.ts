import type { StrictHost } from '../strict/native/rule.js';

/**
 * What adapters still send although a host refuses it. The strict hosts have these rules, and fakes will: a name goes from
 * here once the adapters keep its rule, and none is added.
 */
export const PENDING: ReadonlySet<string> = new Set([
  'log probabilities, since Gemini 3',
  'penalties, since Gemini 2.5',
]);

/** The host with the rules that fakes hold adapters to. */
export function enforced(host: StrictHost): StrictHost {
  return { ...host, rules: host.rules.filter(({ refuses }) => !PENDING.has(refuses)) };
}
