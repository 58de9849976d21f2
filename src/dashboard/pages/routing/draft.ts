import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExplainRouteRequestSchema } from '../../../../gen/byway/v1/routing_pb.js';
import { COLLECTION, MAYBE, SORTS } from '../../base/choices.js';

/** The request to explain as typed. Selects hold the options of `base/choices`; empty texts and lists are left out. */
export interface RouteDraft {
  readonly model: string;
  readonly apiKeyHash: string;
  readonly promptTokens: string;
  readonly maxTokens: string;
  readonly order: readonly string[];
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  readonly quantizations: readonly string[];
  readonly allowFallbacks: string;
  readonly requireParameters: string;
  readonly zdr: string;
  readonly dataCollection: string;
  readonly sort: string;
  readonly maxPromptPrice: string;
  readonly maxCompletionPrice: string;
}

export function blankDraft(model: string): RouteDraft {
  return {
    model,
    apiKeyHash: '',
    promptTokens: '',
    maxTokens: '',
    order: [],
    only: [],
    ignore: [],
    quantizations: [],
    allowFallbacks: '',
    requireParameters: '',
    zdr: '',
    dataCollection: '',
    sort: '',
    maxPromptPrice: '',
    maxCompletionPrice: '',
  };
}

export function requestOf(draft: RouteDraft): MessageInitShape<typeof ExplainRouteRequestSchema> {
  return {
    model: draft.model,
    apiKeyHash: draft.apiKeyHash,
    promptTokens: numberOf(draft.promptTokens),
    maxTokens: numberOf(draft.maxTokens),
    provider: {
      order: listOf(draft.order),
      only: listOf(draft.only),
      ignore: listOf(draft.ignore),
      quantizations: listOf(draft.quantizations),
      allowFallbacks: MAYBE.read(draft.allowFallbacks),
      requireParameters: MAYBE.read(draft.requireParameters),
      zdr: MAYBE.read(draft.zdr),
      dataCollection: COLLECTION.read(draft.dataCollection),
      sort: SORTS.read(draft.sort),
      maxPrice: { prompt: amountOf(draft.maxPromptPrice), completion: amountOf(draft.maxCompletionPrice) },
    },
  };
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

function listOf(values: readonly string[]) {
  return values.length === 0 ? undefined : { values: [...values] };
}

/** A decimal text, exactly as typed. */
function amountOf(text: string) {
  return text === '' ? undefined : { form: { case: 'text' as const, value: text } };
}
