import { REASONING_EFFORTS } from '../enums.js';
import type { ReasoningSupport } from '../types.js';
import type { DevModel } from './document.js';

/**
 * null for a model that does not reason. Where the model takes a token budget it supports every effort, since Byway
 * converts efforts to tokens; there is an allowlist only where efforts are listed too. Reasoning is mandatory where
 * efforts are the only option and `none` is not among them, except for Claude, which only reasons on request.
 */
export function convertReasoning(id: string, model: DevModel): ReasoningSupport | null {
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
