import type {
  MaxPrice as MaxPriceMessage,
  ProviderPreferences as PreferencesMessage,
} from '../../gen/byway/v1/chat_pb.js';
import { DataCollection, ProviderSort } from '../../gen/byway/v1/chat_pb.js';
import type { StringList } from '../../gen/byway/v1/common_pb.js';
import type { Violation } from '../base/problem.js';
import {
  noPreferences,
  parseMaxPrice,
  preferenceViolations,
  type SentMaxPrice,
} from '../routing/preferences.js';
import type { ProviderPreferences, Sort } from '../routing/types.js';

/** What bears on the route of a request, in its messages. */
export interface RoutedMessage {
  readonly model?: string | undefined;
  readonly models?: StringList | undefined;
  readonly provider?: PreferencesMessage | undefined;
}

/** Names of models that a request may list; a fallback chain is never that long. */
const MAX_MODELS = 32;

/** The preferences of a request. Rules that they break are told by `routeViolations`; here such a value counts as none. */
export function preferencesOf(message: PreferencesMessage | undefined): ProviderPreferences {
  if (message === undefined) return noPreferences;
  return {
    order: message.order?.values ?? null,
    only: message.only?.values ?? null,
    ignore: message.ignore?.values ?? null,
    allowFallbacks: message.allowFallbacks ?? true,
    requireParameters: message.requireParameters ?? false,
    dataCollection: message.dataCollection === undefined ? null : DATA_COLLECTIONS[message.dataCollection],
    zdr: message.zdr ?? false,
    quantizations: message.quantizations?.values ?? null,
    sort: message.sort === undefined ? null : SORTS[message.sort],
    maxPrice: message.maxPrice === undefined ? null : parseMaxPrice(sentMaxPrice(message.maxPrice)).maxPrice,
  };
}

/** Every rule that the routing members of a request break, beyond those of the contract. */
export function routeViolations({ model, models, provider }: RoutedMessage): Violation[] {
  const names = models?.values ?? [];
  const maxPrice = provider?.maxPrice;
  return [
    ...(model === undefined && names.length === 0 ? [NO_MODEL] : []),
    ...(names.length > MAX_MODELS ? [TOO_MANY_MODELS] : []),
    ...preferenceViolations(preferencesOf(provider)),
    ...(maxPrice === undefined ? [] : parseMaxPrice(sentMaxPrice(maxPrice)).violations),
  ];
}

const NO_MODEL: Violation = {
  field: 'model',
  rule: 'required',
  message: 'must name a model, or models a list of them',
};

const TOO_MANY_MODELS: Violation = {
  field: 'models',
  rule: 'count',
  message: `must have at most ${MAX_MODELS} entries`,
};

function sentMaxPrice(message: MaxPriceMessage): SentMaxPrice {
  return {
    prompt: message.prompt?.form.value ?? null,
    completion: message.completion?.form.value ?? null,
    request: message.request?.form.value ?? null,
    image: message.image?.form.value ?? null,
  };
}

const DATA_COLLECTIONS: Record<DataCollection, ProviderPreferences['dataCollection']> = {
  [DataCollection.UNSPECIFIED]: null,
  [DataCollection.ALLOW]: 'allow',
  [DataCollection.DENY]: 'deny',
};

const SORTS: Record<ProviderSort, Sort | null> = {
  [ProviderSort.UNSPECIFIED]: null,
  [ProviderSort.PRICE]: 'price',
  [ProviderSort.THROUGHPUT]: 'throughput',
  [ProviderSort.LATENCY]: 'latency',
};
