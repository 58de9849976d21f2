/** The turns of the day as each kind of provider sends them, and what each says where something goes wrong. */

import { thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { googleError } from '../../support/fakes/fake-vertex/error.js';
import type { Host } from '../../support/hosts/table.js';
import { refusalOf } from '../platforms/provider-failures.js';
import type { Turn, TurnUsage } from './day.js';

/** The plan for a fake that answers as the turn says; `n` makes the ids of calls unique. */
export function replyOf({ format }: Host, turn: Turn, usage: TurnUsage, n: number): object {
  switch (format) {
    case 'messages':
      return { content: blocksOf(turn, n), usage: messagesUsage(usage) };
    case 'converse':
      return { ...piecesOf(turn, `tooluse_${n}`), usage: converseUsage(usage) };
    case 'gemini':
      return { parts: partsOf(turn), usage: geminiUsage(usage) };
    case 'responses':
      return { ...piecesOf(turn, `call_${n}`), usage: responsesUsage(usage) };
    default:
      return { ...piecesOf(turn, `call_${n}`), usage: chatUsage(usage) };
  }
}

/** What the provider counts of it: Google does not say what is written to a cache. */
export function countedBy({ format }: Host, usage: TurnUsage): TurnUsage {
  return format === 'gemini' ? { ...usage, written: 0 } : usage;
}

/** The refusal of a prompt that is longer than the model's context. */
export function overflowOf({ format }: Host): object {
  switch (format) {
    case 'messages':
      // https://github.com/anthropics/claude-code/issues/12186
      return error(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum');
    case 'converse':
      // https://github.com/aws-samples/assessment-generator/issues/2
      return typed(400, 'ValidationException', 'Input is too long for requested model.');
    case 'gemini': {
      // https://github.com/google-gemini/gemini-cli/issues/4231
      const message =
        'The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).';
      return googleError(400, 'INVALID_ARGUMENT', message);
    }
    default: {
      // https://github.com/crewAIInc/crewAI-examples/issues/121
      const message =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.";
      const code = 'context_length_exceeded';
      return {
        status: 400,
        body: { error: { message, type: 'invalid_request_error', param: 'messages', code } },
      };
    }
  }
}

/** The refusal of one request too many, which says when to ask again. */
export function rateLimitOf(host: Host, seconds: number): object {
  const { headers, ...refusal } = refusalOf(host, 429);
  return { ...refusal, headers: { ...headers, 'retry-after': String(seconds) } };
}

function piecesOf({ thoughts, text, calls }: Turn, id: string): object {
  return {
    ...(thoughts !== undefined && { reasoning: wordsIn(thoughts) }),
    ...(text !== undefined && { words: wordsIn(text) }),
    calls: (calls ?? []).map((call, index) => ({ ...call, id: `${id}_${index}` })),
  };
}

function blocksOf({ thoughts, text, calls = [] }: Turn, n: number): object[] {
  return [
    ...(thoughts === undefined ? [] : [thinkingBlock(thoughts)]),
    ...(text === undefined ? [] : [{ type: 'text', text, citations: null }]),
    ...calls.map((call, index) => ({ type: 'tool_use', id: `toolu_${n}_${index}`, ...call })),
  ];
}

/** The first call is signed. */
function partsOf({ thoughts, text, calls = [] }: Turn): object[] {
  return [
    ...wordsIn(thoughts ?? '').map((word) => ({ text: word, thought: true })),
    ...wordsIn(text ?? '').map((word) => ({ text: word })),
    ...calls.map(({ name, input: args }, index) => ({
      functionCall: { name, args },
      ...(index === 0 && { thoughtSignature: 'CvcQAePx=' }),
    })),
  ];
}

function wordsIn(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}

function chatUsage({ prompt, cached, written, completion, reasoning }: TurnUsage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function responsesUsage({ prompt, cached, written, completion, reasoning }: TurnUsage): object {
  return {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens_details: { reasoning_tokens: reasoning },
  };
}

function messagesUsage({ prompt, cached, written, completion, reasoning }: TurnUsage): object {
  return {
    input_tokens: prompt - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: reasoning },
  };
}

function converseUsage({ prompt, cached, written, completion }: TurnUsage): object {
  return {
    inputTokens: prompt - cached - written,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: written,
    outputTokens: completion,
    totalTokens: prompt + completion,
  };
}

function geminiUsage({ prompt, cached, completion, reasoning }: TurnUsage): object {
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: completion - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: prompt + completion,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: completion - reasoning }],
  };
}
