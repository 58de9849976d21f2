import { ENDPOINT_STATUSES } from '../enums.js';
import type { EndpointInput } from '../input/catalog-file.js';
import type { JsonReader } from '../input/json-reader.js';
import { FORMATS } from '../types.js';
import { readPriceModes } from './read-price-modes.js';
import { readPriceNotes } from './read-price-notes.js';
import { readPricing } from './read-pricing.js';
import { readDataPolicy, readRegion } from './read-provider.js';
import { readQuirks } from './read-quirks.js';

const ENDPOINT_MEMBERS = [
  'provider',
  'upstream_model_id',
  'region',
  'pricing',
  'price_modes',
  'price_notes',
  'unpriced',
  'context_length',
  'max_completion_tokens',
  'is_moderated',
  'quantization',
  'supported_parameters',
  'data_policy',
  'status',
  'formats',
  'quirks',
];

/** `checkCatalog` checks that its provider exists and that it has a price. */
export function readEndpoint(at: JsonReader): EndpointInput {
  const member = at.object(ENDPOINT_MEMBERS);
  const isUnpriced = member('unpriced').orNull((flag) => flag.boolean()) === true;
  const priceModes = member('price_modes').orNull(readPriceModes);
  const priceNotes = member('price_notes').orNull(readPriceNotes);
  return {
    provider: member('provider').text(),
    upstreamModelId: member('upstream_model_id').text(),
    region: member('region').orNull(readRegion),
    pricing: member('pricing').orNull(readPricing),
    ...(isUnpriced && { isUnpriced }),
    ...(priceModes !== null && { priceModes }),
    ...(priceNotes !== null && { priceNotes }),
    contextLength: member('context_length').orNull((tokens) => tokens.integer(1)),
    maxCompletionTokens: member('max_completion_tokens').orNull((tokens) => tokens.integer(1)),
    isModerated: member('is_moderated').or(false, (flag) => flag.boolean()),
    quantization: member('quantization').orNull((text) => text.text()),
    supportedParameters: member('supported_parameters').orNull(readParameters),
    dataPolicy: member('data_policy').orNull(readDataPolicy) ?? {},
    status: member('status').or('active', (word) => word.oneOf(ENDPOINT_STATUSES)),
    formats: member('formats').orNull((list) => list.list((word) => word.oneOf(FORMATS))),
    quirks: member('quirks').orNull(readQuirks) ?? {},
  };
}

/** Names of members, of types of tools and of beta features. */
const PARAMETER = /^[\w.:/-]{1,128}$/;

/** The known parameters, and others, which a warning tells of. */
export function readParameters(at: JsonReader): string[] {
  return at.list((parameter) => {
    const name = parameter.text();
    if (name !== '' && !PARAMETER.test(name)) {
      parameter.violation('format', 'must be a name of at most 128 letters, digits and _ . : / -');
    }
    return name;
  });
}
