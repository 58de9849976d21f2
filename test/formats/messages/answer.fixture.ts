import type {
  ChatAnswer,
  ChatChunk,
  ChunkDelta,
  FinishReason,
  Usage,
} from '../../../src/formats/chat/types.js';
import { ToolNames } from '../../../src/formats/messages/tool-names.js';
import type { WritingRules } from '../../../src/formats/messages/writing-rules.js';
import { SIGNER } from './signer.fixture.js';

export const RULES: WritingRules = { toolNames: new ToolNames(), showsThoughts: true, signer: SIGNER };

export const USAGE: Usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 10, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0 },
  cost: 0.001,
  is_byok: false,
  cost_details: {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: 0.0004,
    upstream_inference_completions_cost: 0.0006,
  },
};

const HEAD = { id: 'gen-1', created: 1, model: 'author/m', provider: 'p' };

/** A message of a chat, whole or a piece of one. */
export type Said = ChunkDelta;

interface Ending {
  readonly reason?: FinishReason;
  readonly native?: string | null;
}

export function wholeAnswer(said: Said, { reason = 'stop', native = null }: Ending = {}): ChatAnswer {
  const message = { refusal: null, content: null, ...said, role: 'assistant' as const };
  const { reasoning, ...rest } = message;
  return {
    ...HEAD,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          ...rest,
          content: message.content ?? null,
          refusal: message.refusal ?? null,
          ...(typeof reasoning === 'string' && { reasoning }),
        },
        finish_reason: reason,
        native_finish_reason: native,
        logprobs: null,
      },
    ],
    usage: USAGE,
    system_fingerprint: null,
  };
}

/** The chunks of an answer that says these pieces. */
export function chunksOf(
  pieces: readonly Said[],
  { reason = 'stop', native = null }: Ending = {},
): ChatChunk[] {
  const head = { ...HEAD, object: 'chat.completion.chunk' as const };
  const choice = { index: 0, finish_reason: null, native_finish_reason: null, logprobs: null };
  return [
    ...pieces.map((delta) => ({ ...head, choices: [{ ...choice, delta }] })),
    { ...head, choices: [{ ...choice, delta: {}, finish_reason: reason, native_finish_reason: native }] },
    { ...head, choices: [], usage: USAGE },
  ];
}
