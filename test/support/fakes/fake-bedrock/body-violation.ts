import { CONVERSE_CLAUDE } from '../../strict/native/converse-claude.js';
import { CONVERSE_LLAMA } from '../../strict/native/converse-llama.js';
import { CONVERSE_MISTRAL } from '../../strict/native/converse-mistral.js';
import { CONVERSE_NOVA } from '../../strict/native/converse-nova.js';
import { refusalBy } from '../../strict/native/rule.js';
import type { ConverseCall } from './plan.js';

const FAMILIES = [
  [/nova/, CONVERSE_NOVA],
  [/llama/, CONVERSE_LLAMA],
  [/mistral|pixtral/, CONVERSE_MISTRAL],
] as const;

/** The body's first violation, in the service's words; undefined for a valid one. Unknown models are as strict as Claude. */
export function bodyViolation(modelId: string, body: ConverseCall, isStreamed: boolean): string | undefined {
  const host = FAMILIES.find(([pattern]) => pattern.test(modelId))?.[1] ?? CONVERSE_CLAUDE;
  return refusalBy(host, body, { model: modelId, isStreamed });
}
