import type {
  MaxPrice as MaxPriceMessage,
  ProviderPreferences as PreferencesMessage,
} from '../../../gen/byway/v1/chat_pb.js';
import type { StringList } from '../../../gen/byway/v1/common_pb.js';
import type { Violation } from '../../base/problem.js';
import {
  noPreferences,
  parseMaxPrice,
  preferenceViolations,
  type SentMaxPrice,
} from '../../routing/plan/preferences.js';
import type { ProviderPreferences } from '../../routing/types.js';
import { dataCollectionOf, namesOf, sortOf } from './named-values.js';

/** The members of a request message that decide its route. */
export interface RoutedMessage {
  readonly model?: string | undefined;
  readonly models?: StringList | undefined;
  readonly provider?: PreferencesMessage | undefined;
}

/** Models that a request may list; real fallback chains are far shorter. */
const MAX_MODELS = 32;

/** The preferences of a request. An invalid value counts as not given here; `routeViolations` reports it. */
export function preferencesOf(message: PreferencesMessage | undefined): ProviderPreferences {
  if (message === undefined) return noPreferences;
  return {
    order: namesOf(message.order),
    only: namesOf(message.only),
    ignore: namesOf(message.ignore),
    allowFallbacks: message.allowFallbacks ?? true,
    requireParameters: message.requireParameters ?? false,
    dataCollection: message.dataCollection === undefined ? null : dataCollectionOf(message.dataCollection),
    zdr: message.zdr ?? false,
    quantizations: namesOf(message.quantizations),
    sort: message.sort === undefined ? null : sortOf(message.sort),
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
    ...(provider === undefined ? [] : preferenceViolations(preferencesOf(provider))),
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
