/** Where those that speak OpenAI's protocol differ from each other, by their hosts. */
import type { JsonObject } from '../../formats/chat/types.js';

/** What a host takes otherwise than most do. */
export interface Quirks {
  /** `stream_options` of every stream. */
  readonly streamOptions?: JsonObject;
  /** Members that have another name there. */
  readonly names?: Readonly<Record<string, string>>;
  /** What it calls the thoughts that led to tool calls, where it wants to see them again. */
  readonly thoughts?: string;
  /** Members that it refuses, though the gateway's dialect has them. */
  readonly unknown?: ReadonlySet<string>;
  /** Whether it refuses marks for a prompt cache; those that only pass requests on to others may need them. */
  readonly isMarkless?: boolean;
}

/** Hosts of which nothing is known. */
const COMMON: Quirks = { streamOptions: { include_usage: true } };

/** Hosts with a cache that takes no marks, and that take no member which they do not know. */
const MARKLESS: Quirks = { ...COMMON, isMarkless: true };

/** Platform A: OpenAI itself, at another place. */
export const AZURE: Quirks = {
  ...MARKLESS,
  unknown: new Set(['top_k', 'min_p', 'top_a', 'repetition_penalty']),
};

/** Google, for models that are neither its own nor Anthropic's. */
export const VERTEX: Quirks = MARKLESS;

/** Without their own thoughts their models refuse to go on after a tool call. */
const THOUGHTFUL: Quirks = { ...MARKLESS, thoughts: 'reasoning_content' };

const QUIRKS: ReadonlyMap<string, Quirks> = new Map([
  ['api.openai.com', { ...AZURE, streamOptions: { include_usage: true, include_obfuscation: false } }],
  ['api.deepseek.com', THOUGHTFUL],
  ['api.moonshot.ai', THOUGHTFUL],
  ['api.moonshot.cn', THOUGHTFUL],
  ['api.groq.com', MARKLESS],
  ['api.fireworks.ai', MARKLESS],
  // It sends the usage of a stream unasked, and refuses to be asked for it.
  [
    'api.mistral.ai',
    { isMarkless: true, names: { max_completion_tokens: 'max_tokens', seed: 'random_seed' } },
  ],
]);

/** The quirks of this host. */
export function quirksOf(host: string): Quirks {
  return QUIRKS.get(host) ?? COMMON;
}
