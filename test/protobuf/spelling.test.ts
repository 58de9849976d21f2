import { describe, expect, it } from 'vitest';
import { LimitReset, LimitResetSchema } from '../../gen/byway/v1/common_pb.js';
import {
  EndpointStatusSchema,
  InstructType,
  InstructTypeSchema,
  ModelGroupSchema,
  ParameterSchema,
  ReasoningEffort,
  ReasoningEffortSchema,
  WeekdaySchema,
} from '../../gen/byway/v1/models_pb.js';
import { enumNumber, enumSpelling, enumSpellings, spellEnum } from '../../src/protobuf/spelling.js';

describe('enumerations have the spelling of the contract', () => {
  const tables = [
    [
      ParameterSchema,
      'temperature, top_p, top_k, min_p, top_a, frequency_penalty, presence_penalty, repetition_penalty, max_tokens, max_completion_tokens, logit_bias, logprobs, top_logprobs, prediction, seed, response_format, structured_outputs, stop, tools, tool_choice, parallel_tool_calls, include_reasoning, reasoning, reasoning_effort, web_search_options, verbosity',
    ],
    [
      InstructTypeSchema,
      'none, airoboros, alpaca, alpaca-modif, chatml, claude, code-llama, gemma, llama2, llama3, mistral, nemotron, neural, openchat, phi3, rwkv, vicuna, zephyr, deepseek-r1, deepseek-v3.1, qwq, qwen3, null',
    ],
    [
      ModelGroupSchema,
      'Router, Media, Other, GPT, Claude, Gemini, Gemma, Grok, Cohere, Nova, Qwen, Yi, DeepSeek, Mistral, Llama2, Llama3, Llama4, PaLM, RWKV, Qwen3',
    ],
    [ReasoningEffortSchema, 'max, xhigh, high, medium, low, minimal, none, null'],
    [WeekdaySchema, 'monday, tuesday, wednesday, thursday, friday, saturday, sunday'],
    [EndpointStatusSchema, 'active, degraded, disabled'],
  ] as const;
  for (const [desc, words] of tables) {
    it(desc.name, () => {
      expect(enumSpellings(desc).map(String)).toEqual(words.split(', '));
    });
  }

  it('reads what it spells, null included', () => {
    expect(enumSpelling(InstructTypeSchema, InstructType.DEEPSEEK_V3_1)).toBe('deepseek-v3.1');
    expect(enumNumber(InstructTypeSchema, 'deepseek-v3.1')).toBe(InstructType.DEEPSEEK_V3_1);
    expect(enumNumber(ReasoningEffortSchema, null)).toBe(ReasoningEffort.NULL);
    expect(enumNumber(ReasoningEffortSchema, 'null')).toBeUndefined();
    expect(enumNumber(LimitResetSchema, 'unspecified')).toBeUndefined();
    expect(spellEnum(LimitResetSchema, LimitReset.MONTHLY)).toBe('monthly');
    expect(() => spellEnum(LimitResetSchema, LimitReset.UNSPECIFIED)).toThrow(TypeError);
  });
});
