/** Differences between providers with OpenAI's format, by host. */
import type { JsonObject } from '../../formats/chat/types.js';

export interface Quirks {
  /** Added to the `stream_options` of every stream. */
  readonly streamOptions?: JsonObject;
  /** The host's own names of members. */
  readonly names?: Readonly<Record<string, string>>;
  /** The member in which the host requires the reasoning of earlier tool calls. */
  readonly reasoningMember?: string;
  /** Members of the chat format that it refuses. */
  readonly unknown?: ReadonlySet<string>;
  /** Aggregators, which pass requests on, may need `cache_control`. */
  readonly refusesCacheControl?: boolean;
}

/** Unknown hosts. */
const COMMON: Quirks = { streamOptions: { include_usage: true } };

/** Hosts that refuse `cache_control`, like any member that they do not know. */
const WITHOUT_CACHE_CONTROL: Quirks = { ...COMMON, refusesCacheControl: true };

export const AZURE: Quirks = {
  ...WITHOUT_CACHE_CONTROL,
  unknown: new Set(['top_k', 'min_p', 'top_a', 'repetition_penalty']),
};

/** Vertex AI, for models that are neither Google's nor Anthropic's. */
export const VERTEX: Quirks = WITHOUT_CACHE_CONTROL;

/** Their models refuse to go on after a tool call without their own reasoning. */
const WITH_REASONING: Quirks = { ...WITHOUT_CACHE_CONTROL, reasoningMember: 'reasoning_content' };

const QUIRKS: ReadonlyMap<string, Quirks> = new Map([
  ['api.openai.com', { ...AZURE, streamOptions: { include_usage: true, include_obfuscation: false } }],
  ['api.deepseek.com', WITH_REASONING],
  ['api.moonshot.ai', WITH_REASONING],
  ['api.moonshot.cn', WITH_REASONING],
  ['api.groq.com', WITHOUT_CACHE_CONTROL],
  ['api.fireworks.ai', WITHOUT_CACHE_CONTROL],
  // It always sends the usage of a stream, and refuses `stream_options`.
  [
    'api.mistral.ai',
    { refusesCacheControl: true, names: { max_completion_tokens: 'max_tokens', seed: 'random_seed' } },
  ],
]);

export function quirksOf(host: string): Quirks {
  return QUIRKS.get(host) ?? COMMON;
}
