import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  InputModalitySchema,
  InstructTypeSchema,
  type ModelArchitecture,
  ModelArchitectureSchema,
  ModelGroupSchema,
  type Model as ModelMessage,
  type ModelReasoningSchema,
  ModelSchema,
  OutputModalitySchema,
  ParameterSchema,
  type PublicPricing,
  PublicPricingSchema,
  ReasoningEffortSchema,
  WeekdaySchema,
} from '../../../gen/byway/v1/models_pb.js';
import { isoTimestamp } from '../../base/clock.js';
import type { ListedModel } from '../../catalog/assembled/listing.js';
import type {
  Architecture,
  Benchmarks,
  DefaultParameters,
  PriceMode,
  Pricing,
  PricingOverride,
  ReasoningSupport,
} from '../../catalog/types.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { defined } from './defined.js';

/** `publicPath` stands before the path of its link. */
export function modelMessage(model: ListedModel, publicPath: string): ModelMessage {
  return create(ModelSchema, {
    id: model.id,
    canonicalSlug: model.canonicalSlug,
    name: model.name,
    created: model.created,
    ...openAiMembers(model.id),
    supportedParameters: parameterNumbers(model.supportedParameters),
    links: { details: publicPath + model.links.details },
    pricing: pricingMessage(model.pricing),
    architecture: architectureMessage(model.architecture),
    topProvider: {
      isModerated: model.topProvider.isModerated,
      ...defined({
        contextLength: model.topProvider.contextLength,
        maxCompletionTokens: model.topProvider.maxCompletionTokens,
      }),
    },
    ...defined({
      description: model.description,
      contextLength: model.contextLength,
      expirationDate: model.expirationDate,
      knowledgeCutoff: model.knowledgeCutoff,
      hubModelId: model.hubModelId,
      supportedVoices: model.supportedVoices && { values: [...model.supportedVoices] },
      defaultParameters: model.defaultParameters && defaultParameters(model.defaultParameters),
      perRequestLimits: model.perRequestLimits,
      aliasTarget: model.aliasTarget,
      benchmarks: model.benchmarks && benchmarks(model.benchmarks),
      reasoning: model.reasoning && reasoning(model.reasoning),
    }),
  });
}

/** The model with the members that Anthropic's models have as well. */
export function anthropicModel(model: ModelMessage): ModelMessage {
  const { name, created, contextLength = null, topProvider } = model;
  return create(ModelSchema, {
    ...model,
    ...anthropicMembers({
      name,
      created,
      contextLength,
      maxTokens: topProvider?.maxCompletionTokens ?? null,
    }),
  });
}

/** The model in the members that clients of OpenAI and Anthropic read. */
export function modelDescription({ id, name, created, contextLength, topProvider }: ListedModel) {
  return {
    id,
    created,
    ...openAiMembers(id),
    ...anthropicMembers({ name, created, contextLength, maxTokens: topProvider.maxCompletionTokens }),
  };
}

/** An alias has the author of its models. */
function openAiMembers(id: string) {
  return { object: 'model', ownedBy: id.slice(id.startsWith('~') ? 1 : 0, id.indexOf('/')) };
}

/** As in https://platform.claude.com/docs/en/api/models/list, as far as the catalogue knows them. */
function anthropicMembers({
  name,
  created,
  contextLength,
  maxTokens,
}: Pick<ListedModel, 'name' | 'created' | 'contextLength'> & { readonly maxTokens: number | null }) {
  return {
    type: 'model',
    displayName: name,
    createdAt: isoTimestamp(created * 1000),
    ...defined({ maxInputTokens: contextLength, maxTokens }),
  };
}

/** The parameters that the contract has: what else an operator admits is no trait of the model. */
export function parameterNumbers(names: readonly string[]): number[] {
  return names.flatMap((name) => enumNumber(ParameterSchema, name) ?? []);
}

export function architectureMessage(architecture: Architecture): ModelArchitecture {
  const { modality, instructType, tokenizer } = architecture;
  return create(ModelArchitectureSchema, {
    inputModalities: architecture.inputModalities.map((name) => numberOf(InputModalitySchema, name)),
    outputModalities: architecture.outputModalities.map((name) => numberOf(OutputModalitySchema, name)),
    ...defined({ modality }),
    ...(instructType === undefined ? {} : { instructType: numberOf(InstructTypeSchema, instructType) }),
    ...(tokenizer === undefined ? {} : { tokenizer: numberOf(ModelGroupSchema, tokenizer) }),
  });
}

/** The catalogue's price names are the contract's fields in snake_case. */
export function pricingMessage({ prices, discount, overrides }: Pricing): PublicPricing {
  return create(PublicPricingSchema, {
    ...camelCased(prices),
    prompt: prices.prompt,
    completion: prices.completion,
    ...defined({ discount }),
    overrides: overrides.map(overrideInit),
  });
}

export function priceModeMessage({ words, isBatch, minPromptTokens, multiplier, prices }: PriceMode) {
  return {
    ...camelCased(words),
    ...(isBatch && { batch: true }),
    ...defined({ minPromptTokens, multiplier }),
    ...camelCased(prices),
  };
}

function overrideInit({ prices, utcDays, minPromptTokens, utcStart, utcEnd }: PricingOverride) {
  return {
    ...camelCased(prices),
    ...defined({ minPromptTokens, utcStart, utcEnd }),
    utcDays: (utcDays ?? []).map((day) => numberOf(WeekdaySchema, day)),
  };
}

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

function camelCased<K extends string>(prices: Readonly<Partial<Record<K, string>>>) {
  const entries = Object.entries(prices).map(([key, price]) => [
    key.replace(/_(\w)/g, (_, c: string) => c.toUpperCase()),
    price,
  ]);
  // The keys are those of the argument, respelled one by one.
  return Object.fromEntries(entries) as { [P in K as CamelCase<P>]?: string };
}

function defaultParameters(parameters: DefaultParameters) {
  return defined({ ...parameters });
}

function benchmarks({ arenaRankings, analysisIndex }: Benchmarks) {
  return {
    arenaRankings: arenaRankings.map((entry) => ({ ...entry })),
    ...(analysisIndex === null ? {} : { analysisIndex: defined({ ...analysisIndex }) }),
  };
}

function reasoning({
  mandatory,
  defaultEffort,
  defaultEnabled,
  supportedEfforts,
  supportsMaxTokens,
}: ReasoningSupport): MessageInitShape<typeof ModelReasoningSchema> {
  return {
    mandatory,
    ...(defaultEffort === undefined ? {} : { defaultEffort: numberOf(ReasoningEffortSchema, defaultEffort) }),
    ...(defaultEnabled === undefined ? {} : { defaultEnabled }),
    ...(supportedEfforts
      ? { supportedEfforts: { values: supportedEfforts.map((e) => numberOf(ReasoningEffortSchema, e)) } }
      : {}),
    ...(supportsMaxTokens ? { supportsMaxTokens } : {}),
  };
}

/** Throws a TypeError for an unknown name, which the catalogue's import refuses. */
function numberOf(desc: Parameters<typeof enumNumber>[0], spelling: string | null): number {
  const number = enumNumber(desc, spelling);
  if (number === undefined) throw new TypeError(`${desc.typeName} has no value ${String(spelling)}`);
  return number;
}
