/**
 * Beta features of Anthropic's that cost nothing but tokens and reach nothing, without their dates. What Claude Code names is
 * among them. Sources: `docs/providers/anthropic.md#sources`.
 */
import { isNamed, type LeftOut } from './left-out.js';

const PRICED: ReadonlySet<string> = new Set([
  'advanced-tool-use',
  'claude-code',
  'computer-use',
  'context-1m',
  'context-management',
  'effort',
  'extended-cache-ttl',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mid-conversation-system',
  'model-context-window-exceeded',
  'output-128k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-scope',
  'redact-thinking',
  'structured-outputs',
  'task-budgets',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
  'web-search',
]);

/** The features that may be named over shared capacity; the others are added to `leftOut`. */
export function pricedBetas(
  betas: readonly string[],
  admitted: ReadonlySet<string>,
  leftOut: LeftOut,
): readonly string[] {
  return betas.filter((beta) => {
    const isPriced = isNamed(PRICED, beta) || admitted.has(beta);
    if (!isPriced) leftOut.add(`anthropic-beta:${beta}`);
    return isPriced;
  });
}
