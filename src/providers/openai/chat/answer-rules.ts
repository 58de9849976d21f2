/**
 * What hosts of OpenAI's chat format say of an answer in words and counts of their own. Where each is from:
 * `docs/providers/openai-compatible.md#what-we-read`. The catalogue overrides it: `docs/catalog.md#quirks`.
 */
import type { CachedTokens, FinishMeaning, Quirks, UsagePaths } from '../../../catalog/quirks.js';

/** How the answers of an endpoint are read. */
export interface AnswerRules {
  /** What finish reasons mean, in lower case; an unknown one is `stop`. */
  readonly finishReasons: ReadonlyMap<string, FinishMeaning>;
  /** undefined: as the counts themselves show. */
  readonly cachedTokens: CachedTokens | undefined;
  /** Where the host has counts for itself. */
  readonly usage: UsagePaths;
  /** Whether calls in the older way stay so, as who asked with `functions` reads them; else they become calls of tools. */
  readonly keepsFunctionCalls: boolean;
}

/** No two hosts mean different things by one word, so each is understood of every host: many pass on those of others. */
const FINISH_REASONS: Readonly<Record<string, FinishMeaning>> = {
  // OpenAI.
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  // Mistral.
  model_length: 'length',
  error: 'error',
  // DeepSeek.
  insufficient_system_resource: 'error',
  // Z.ai.
  sensitive: 'content_filter',
  network_error: 'error',
  model_context_window_exceeded: 'length',
  // Together, text-generation-inference, watsonx.
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  // vLLM and SGLang, where a request was taken back.
  abort: 'error',
  // Hosts in front of Anthropic, Bedrock, Google and Cohere.
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  prohibited_content: 'content_filter',
  blocklist: 'content_filter',
  spii: 'content_filter',
  image_safety: 'content_filter',
  image_prohibited_content: 'content_filter',
  image_recitation: 'content_filter',
  malformed_function_call: 'error',
  malformed_response: 'error',
  unexpected_tool_call: 'error',
  too_many_tool_calls: 'error',
  complete: 'stop',
  error_limit: 'length',
  error_toxic: 'content_filter',
  tool_call: 'tool_calls',
  timeout: 'error',
};

const WORDS: ReadonlyMap<string, FinishMeaning> = new Map(Object.entries(FINISH_REASONS));

/** The rules of a host and model with these quirks. */
export function answerRules({ finishReasons, cachedTokens, usage = {} }: Quirks): AnswerRules {
  return {
    finishReasons: finishReasons === undefined ? WORDS : new Map([...WORDS, ...inLowerCase(finishReasons)]),
    cachedTokens,
    usage,
    keepsFunctionCalls: false,
  };
}

/** For a host that nothing is known about. */
export const ANY_HOST: AnswerRules = answerRules({});

function inLowerCase(words: Readonly<Record<string, FinishMeaning>>): [string, FinishMeaning][] {
  return Object.entries(words).map(([word, meaning]) => [word.toLowerCase(), meaning]);
}
