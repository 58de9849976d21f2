import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ByokKeySchema } from '../../gen/byway/v1/byok_pb.js';
import {
  ChatMessageSchema,
  ChunkDeltaSchema,
  StopSequencesSchema,
  StreamChatCompletionResponseSchema,
} from '../../gen/byway/v1/chat_pb.js';
import { LimitReset } from '../../gen/byway/v1/common_pb.js';
import { KeySchema } from '../../gen/byway/v1/keys_pb.js';
import {
  EndpointStatus,
  InstructType,
  ListUserModelsResponseSchema,
  ModelArchitectureSchema,
  ModelEndpointSchema,
  ModelEndpointsSchema,
  ModelGroup,
  ModelReasoningSchema,
  ModelSchema,
  PublicPricingSchema,
  ReasoningEffort,
} from '../../gen/byway/v1/models_pb.js';
import { messageWriters, writeMessage } from '../../src/protobuf/write.js';

describe('an answer in REST JSON', () => {
  it('shows every member of an API key record, null where it has no value', () => {
    const key = create(KeySchema, { hash: 'a'.repeat(64), name: 'n', usage: 0.25, disabled: false });
    expect(writeMessage(KeySchema, key)).toEqual({
      hash: 'a'.repeat(64),
      name: 'n',
      label: '',
      disabled: false,
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      include_byok_in_limit: null,
      usage: 0.25,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      created_at: '',
      updated_at: '',
      expires_at: null,
      creator_user_id: '',
      workspace_id: '',
      external_user: null,
      end_user_limit: null,
      end_user_limit_reset: null,
      cache_ttl: null,
      end_user_required: null,
    });
  });

  it('spells a list that is unset, empty and filled as null, [] and an array', () => {
    const key = create(ByokKeySchema, { allowedModels: { values: [] }, allowedUserIds: { values: ['u'] } });
    expect(writeMessage(ByokKeySchema, key)).toMatchObject({
      allowed_models: [],
      allowed_api_key_hashes: null,
      allowed_user_ids: ['u'],
    });
  });

  it('never shows a credential', () => {
    const key = create(ByokKeySchema, { key: 'sk-secret' });
    expect(JSON.stringify(writeMessage(ByokKeySchema, key))).not.toContain('secret');
    expect(writeMessage(ByokKeySchema, key)).not.toHaveProperty('key');
  });

  it('leaves out what is optional in a model and shows what is required', () => {
    const model = writeMessage(
      ModelSchema,
      create(ModelSchema, { id: 'a/b', pricing: { prompt: '1', completion: '2' } }),
    );
    for (const omitted of ['description', 'alias_target', 'benchmarks', 'reasoning']) {
      expect(model).not.toHaveProperty(omitted);
    }
    expect(model).toMatchObject({
      supported_parameters: [],
      supported_voices: null,
      default_parameters: null,
    });
    expect(model.pricing).toEqual({ prompt: '1', completion: '2' });
  });

  it('leaves out an empty list only where the option of the field says so', () => {
    const pricing = create(PublicPricingSchema, { overrides: [{ inputCacheWrite1h: '3' }] });
    expect(writeMessage(PublicPricingSchema, pricing)).toMatchObject({
      overrides: [{ input_cache_write_1h: '3' }],
    });
  });

  it('spells enum values as the contract does, null included', () => {
    const architecture = create(ModelArchitectureSchema, {
      instructType: InstructType.DEEPSEEK_V3_1,
      tokenizer: ModelGroup.GPT,
    });
    expect(writeMessage(ModelArchitectureSchema, architecture)).toEqual({
      modality: null,
      input_modalities: [],
      output_modalities: [],
      instruct_type: 'deepseek-v3.1',
      tokenizer: 'GPT',
    });
    const reasoning = create(ModelReasoningSchema, {
      defaultEffort: ReasoningEffort.NULL,
      supportedEfforts: { values: [ReasoningEffort.XHIGH, ReasoningEffort.NULL] },
    });
    expect(writeMessage(ModelReasoningSchema, reasoning)).toEqual({
      mandatory: false,
      default_effort: null,
      supported_efforts: ['xhigh', null],
    });
    const key = create(KeySchema, { limitReset: LimitReset.WEEKLY });
    expect(writeMessage(KeySchema, key)).toHaveProperty('limit_reset', 'weekly');
  });

  it('has the number of an enum value where the contract gives it one', () => {
    const endpoint = create(ModelEndpointSchema, { status: EndpointStatus.DEGRADED });
    expect(writeMessage(ModelEndpointSchema, endpoint)).toHaveProperty('status', -1);
  });

  it('has neutral members where the message has no value, and its own values where it has', () => {
    const bare = create(ModelEndpointsSchema, { architecture: {}, endpoints: [{}] });
    expect(writeMessage(ModelEndpointsSchema, bare)).toMatchObject({
      description: '',
      architecture: { instruct_type: null, modality: null },
      endpoints: [{ context_length: 0, max_prompt_tokens: null }],
    });
    const whole = create(ModelEndpointsSchema, {
      description: 'A model',
      architecture: { instructType: InstructType.CHATML },
      endpoints: [{ contextLength: 8 }],
    });
    expect(writeMessage(ModelEndpointsSchema, whole)).toMatchObject({
      description: 'A model',
      architecture: { instruct_type: 'chatml' },
      endpoints: [{ context_length: 8 }],
    });
  });

  it('spells a union as whichever form is set', () => {
    const message = create(ChatMessageSchema, {
      role: 'user',
      content: { form: { case: 'text', value: 'hi' } },
    });
    expect(writeMessage(ChatMessageSchema, message)).toEqual({ role: 'user', content: 'hi' });
    message.content = undefined;
    expect(writeMessage(ChatMessageSchema, message)).toEqual({ role: 'user', content: null });
  });

  it('spreads open members beside the others, and the named ones win', () => {
    const delta = create(ChunkDeltaSchema, {
      content: 'x',
      extra: JSON.parse('{"content":"y","annotations":[1],"__proto__":{"polluted":true}}'),
    });
    const json = writeMessage(ChunkDeltaSchema, delta);
    expect(JSON.stringify(json)).toBe('{"content":"x","annotations":[1],"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  });

  it('sends usage and error of a stream only in the chunks that have them', () => {
    const chunk = create(StreamChatCompletionResponseSchema, {
      id: 'g',
      choices: [{ delta: { content: 'a' } }],
    });
    expect(writeMessage(StreamChatCompletionResponseSchema, chunk)).toEqual({
      id: 'g',
      object: '',
      created: 0,
      model: '',
      provider: '',
      choices: [
        {
          index: 0,
          delta: { content: 'a' },
          finish_reason: null,
          native_finish_reason: null,
          logprobs: null,
        },
      ],
    });
  });

  it('sends the operator’s aliases beside the neutral names', () => {
    const writerOf = messageWriters(new Map([['hub_model_id', ['a_hub_id', 'b_hub_id']]]));
    const list = create(ListUserModelsResponseSchema, { data: [{ id: 'a/b', hubModelId: 'x' }] });
    const json = writerOf(ListUserModelsResponseSchema)(list);
    expect(json).toMatchObject({ data: [{ hub_model_id: 'x', a_hub_id: 'x', b_hub_id: 'x' }] });
  });

  it('refuses to spell as an object what is not one', () => {
    expect(() => writeMessage(StopSequencesSchema, create(StopSequencesSchema))).toThrow(
      /chat\.proto.*StopSequences/,
    );
  });
});
