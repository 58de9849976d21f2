import type { ReasoningPartType } from './reasoning-item.js';

/**
 * Families whose hosts never show the model's reasoning itself, only a summary of it:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#summarized-thinking,
 * https://ai.google.dev/gemini-api/docs/thinking#summaries,
 * https://platform.openai.com/docs/guides/reasoning#reasoning-summaries (2026-11-26).
 */
const SUMMARIZED = /^(?:anthropic\/claude|google\/gemini|openai\/(?!gpt-oss))/;

/** What the text of a model's reasoning is. */
export function reasoningPartOf(modelId: string): ReasoningPartType {
  return SUMMARIZED.test(modelId) ? 'summary_text' : 'reasoning_text';
}
