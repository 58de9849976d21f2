import { REASONING_EFFORTS } from '../enums.js';
import type { Reasoning } from '../types.js';
import type { DevModel } from './document.js';

/**
 * How the model reasons, as far as its options tell; null for one that does not. Without options nothing is known but
 * that it reasons. A token budget takes every effort (the gateway turns one into the other), so there is no allowlist
 * then unless efforts are named too. Reasoning counts as mandatory where efforts are the only option and `none` is not
 * among them, but for Claude, which reasons only when asked to.
 */
export function convertReasoning(id: string, model: DevModel): Reasoning | null {
  if (!model.reasoning) return null;
  const types = model.reasoningOptions.map((option) => option.type);
  const values = model.reasoningOptions.flatMap((option) => (option.type === 'effort' ? option.values : []));
  const efforts = REASONING_EFFORTS.filter((effort) => values.includes(effort));
  const onlyEfforts = types.length > 0 && types.every((type) => type === 'effort');
  const supportsMaxTokens = types.includes('budget_tokens');
  return {
    mandatory: onlyEfforts && !values.includes('none') && !id.startsWith('anthropic/'),
    defaultEffort: undefined,
    defaultEnabled: undefined,
    supportedEfforts: efforts.length > 0 ? efforts : supportsMaxTokens ? null : undefined,
    supportsMaxTokens,
  };
}
