import { INPUT_MODALITIES, INSTRUCT_TYPES, MODEL_GROUPS, modalityOf, OUTPUT_MODALITIES } from '../enums.js';
import type { ModelInput } from '../input/catalog-file.js';
import type { JsonReader } from '../input/json-reader.js';
import type { Architecture, DefaultParameters, PerRequestLimits } from '../types.js';
import { readBenchmarks } from './read-benchmarks.js';
import { readEndpoint, readParameters } from './read-endpoint.js';
import { readPricing } from './read-pricing.js';
import { readOrigin } from './read-provider.js';
import { readReasoning } from './read-reasoning.js';

const MODEL_MEMBERS = [
  'id',
  'canonical_slug',
  'hub_model_id',
  'name',
  'created',
  'description',
  'context_length',
  'expiration_date',
  'knowledge_cutoff',
  'architecture',
  'pricing',
  'supported_parameters',
  'supported_voices',
  'default_parameters',
  'per_request_limits',
  'benchmarks',
  'reasoning',
  'alias_target',
  'endpoints',
  'origin',
];

const MODEL_ID = /^[^\s/]{1,128}\/[^\s/]{1,128}$/;
const MAX_SAMPLING = 1e6;

/** For an alias everything but its target is optional. */
export function readModel(at: JsonReader): ModelInput {
  const member = at.object(MODEL_MEMBERS);
  readOrigin(member('origin'));
  const aliasTarget = member('alias_target').orNull(readAliasTarget);
  const unlessAlias = <T>(name: string, read: (at: JsonReader) => T): T | null =>
    aliasTarget === null ? read(member(name)) : member(name).orNull(read);
  return {
    id: readModelId(member('id')),
    canonicalSlug: member('canonical_slug').orNull(readModelId),
    hubModelId: member('hub_model_id').orNull((text) => text.text()),
    name: unlessAlias('name', (text) => text.text()),
    created: unlessAlias('created', (seconds) => seconds.integer(0)),
    description: member('description').orNull((text) => text.text()),
    contextLength: member('context_length').orNull((tokens) => tokens.integer(1)),
    expirationDate: member('expiration_date').orNull((date) => date.date()),
    knowledgeCutoff: member('knowledge_cutoff').orNull((date) => date.date()),
    architecture: unlessAlias('architecture', readArchitecture),
    pricing: member('pricing').orNull(readPricing),
    supportedParameters: member('supported_parameters').orNull(readParameters),
    supportedVoices: member('supported_voices').orNull((list) => list.list((voice) => voice.text())),
    defaultParameters: member('default_parameters').orNull(readDefaultParameters),
    perRequestLimits: member('per_request_limits').orNull(readPerRequestLimits),
    benchmarks: member('benchmarks').orNull(readBenchmarks),
    reasoning: member('reasoning').orNull(readReasoning),
    aliasTarget,
    endpoints: unlessAlias('endpoints', (list) => list.list(readEndpoint)) ?? [],
  };
}

function readModelId(at: JsonReader): string {
  return at.matching(MODEL_ID, 'an identifier author/name');
}

function readAliasTarget(at: JsonReader): string {
  return readModelId(at.object(['slug'])('slug'));
}

function readArchitecture(at: JsonReader): Architecture {
  const member = at.object([
    'modality',
    'input_modalities',
    'output_modalities',
    'instruct_type',
    'tokenizer',
  ]);
  const inputModalities = member('input_modalities').list((word) => word.oneOf(INPUT_MODALITIES));
  const outputModalities = member('output_modalities').list((word) => word.oneOf(OUTPUT_MODALITIES));
  return {
    modality: member('modality').or(modalityOf(inputModalities, outputModalities), (shape) =>
      shape.orNull((text) => text.text()),
    ),
    inputModalities,
    outputModalities,
    instructType: member('instruct_type').or(undefined, (type) =>
      type.orNull((word) => word.oneOf(INSTRUCT_TYPES)),
    ),
    tokenizer: member('tokenizer').or(undefined, (word) => word.oneOf(MODEL_GROUPS)),
  };
}

function readDefaultParameters(at: JsonReader): DefaultParameters {
  const member = at.object([
    'temperature',
    'top_p',
    'top_k',
    'frequency_penalty',
    'presence_penalty',
    'repetition_penalty',
  ]);
  const double = (name: string) =>
    member(name).orNull((number) => number.number(-MAX_SAMPLING, MAX_SAMPLING));
  return {
    temperature: double('temperature'),
    topP: double('top_p'),
    topK: member('top_k').orNull((count) => count.integer(0)),
    frequencyPenalty: double('frequency_penalty'),
    presencePenalty: double('presence_penalty'),
    repetitionPenalty: double('repetition_penalty'),
  };
}

function readPerRequestLimits(at: JsonReader): PerRequestLimits {
  const member = at.object(['prompt_tokens', 'completion_tokens']);
  return {
    promptTokens: member('prompt_tokens').number(0, Number.MAX_SAFE_INTEGER),
    completionTokens: member('completion_tokens').number(0, Number.MAX_SAFE_INTEGER),
  };
}
