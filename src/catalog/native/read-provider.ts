import type { JsonReader } from '../input/json-reader.js';
import { ADAPTERS, type DataPolicy, type Provider } from '../types.js';
import { readHeaders } from './read-headers.js';
import { readPriceModes } from './read-price-modes.js';
import { readQuirks } from './read-quirks.js';

const PROVIDER_MEMBERS = [
  'slug',
  'name',
  'adapter',
  'base_url',
  'storage_base_url',
  'regions',
  'data_policy',
  'quirks',
  'headers',
  'credential',
  'price_modes',
  'headquarters',
  'datacenters',
  'privacy_policy_url',
  'terms_of_service_url',
  'status_page_url',
  'origin',
];

const SLUG = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const REGION = /^[a-z0-9-]{1,64}$/;

export function readProvider(at: JsonReader): Provider {
  const member = at.object(PROVIDER_MEMBERS);
  readOrigin(member('origin'));
  const headers = member('headers').orNull(readHeaders) ?? {};
  const credential = member('credential').orNull((word) => word.oneOf<'none'>(['none']));
  const priceModes = member('price_modes').orNull(readPriceModes);
  return {
    slug: member('slug').matching(SLUG, 'a slug of a-z, 0-9, ".", "_" and "-"'),
    name: member('name').text(),
    adapter: member('adapter').oneOf(ADAPTERS),
    baseUrl: member('base_url').orNull(readTemplateUrl),
    storageBaseUrl: member('storage_base_url').orNull(readTemplateUrl),
    regions: member('regions').orNull((list) => list.list(readRegion)) ?? [],
    dataPolicy: member('data_policy').orNull(readDataPolicy) ?? {},
    quirks: member('quirks').orNull(readQuirks) ?? {},
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(credential !== null && { credential }),
    ...(priceModes !== null && { priceModes }),
    headquarters: member('headquarters').orNull((text) => text.text()),
    datacenters: member('datacenters').orNull((list) => list.list((text) => text.text())) ?? [],
    privacyPolicyUrl: member('privacy_policy_url').orNull((url) => url.url()),
    termsOfServiceUrl: member('terms_of_service_url').orNull((url) => url.url()),
    statusPageUrl: member('status_page_url').orNull((url) => url.url()),
  };
}

/** Who answers for an entry: the operator, or the packaged catalogue and the lists that are imported over it. */
export const ORIGINS = ['operator', 'package'] as const;
export type Origin = (typeof ORIGINS)[number];

/** null where an entry does not say. */
export function readOrigin(at: JsonReader): Origin | null {
  return at.orNull((word) => word.oneOf(ORIGINS));
}

/** Reads a region name such as `eu` or `us-east-1`. */
export function readRegion(at: JsonReader): string {
  return at.matching(REGION, 'a region of a-z, 0-9 and "-"');
}

/** Reads the data policy of a provider or an endpoint, whose members are all optional. */
export function readDataPolicy(at: JsonReader): Partial<DataPolicy> {
  const member = at.object(['zdr', 'data_collection']);
  const zdr = member('zdr').or(undefined, (flag) => flag.boolean());
  const dataCollection = member('data_collection').or(undefined, (flag) => flag.boolean());
  return {
    ...(zdr === undefined ? {} : { zdr }),
    ...(dataCollection === undefined ? {} : { dataCollection }),
  };
}

function readTemplateUrl(at: JsonReader): string {
  return at.url(['resource', 'region']);
}
