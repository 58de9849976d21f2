/** Azure: an array of configuration objects of two kinds, in any mixture. */
import { isObject } from '../../base/json/json-value.js';
import type { Violation } from '../../base/problem.js';
import { parseJson } from '../../formats/json.js';
import { hideMembers } from '../redact.js';
import { callableUrl, parseUrl } from './credential-url.js';
import {
  keyViolation,
  optional,
  type Parsed,
  type RuleViolation,
  readObject,
  required,
  wrongType,
} from './json-reader.js';
import { oneOf, printableName, resourceName, visibleAscii } from './text-checks.js';

/** A resource, for every model on it. */
export interface AzureResource {
  readonly kind: 'resource';
  readonly apiKey: string;
  readonly resourceName: string;
  readonly resourceType: 'catalog' | 'deployment';
  /** The `api-version` of its URLs, or `v1` for the path without one; null = the catalogue's. */
  readonly apiVersion: string | null;
}

/** One deployment of one model, called at its own URL. */
export interface AzureDeployment {
  readonly kind: 'deployment';
  readonly apiKey: string;
  /** The entry's model as sent: an id, a slug or an alias. */
  readonly modelSlug: string;
  readonly endpointUrl: string;
  /** The deployment's name at the provider. */
  readonly modelId: string;
}

export type AzureEntry = AzureResource | AzureDeployment;

/** An Azure credential; `azureEntryFor` chooses the entry that serves a model. */
export interface AzureCredential {
  readonly adapter: 'azure';
  /** At least one, in the order sent. */
  readonly entries: readonly [AzureEntry, ...AzureEntry[]];
}

/** Reads an array of 1 to 100 entries; violations are named by entry, such as `key[1].endpoint_url`. */
export function parseAzure(text: string, allowPrivateUpstreams: boolean): Parsed<AzureCredential> {
  const value = parseJson(text);
  if (!Array.isArray(value)) return keyViolation(value === undefined ? NOT_JSON : wrongType(value, WANTED));
  if (value.length === 0) return keyViolation({ rule: 'count', message: 'must have at least one entry' });
  if (value.length > MAX_ENTRIES) return keyViolation(TOO_MANY);
  const parsed = value.map((entry, index) => parseEntry(entry, `key[${index}]`, allowPrivateUpstreams));
  const violations = parsed.flatMap((entry): readonly Violation[] => ('ok' in entry ? [] : entry.violations));
  const [first, ...rest] = parsed.flatMap((entry) => ('ok' in entry ? [entry.ok] : []));
  if (violations.length > 0 || first === undefined) return { violations };
  return { ok: hideMembers({ adapter: 'azure', entries: [first, ...rest] }) };
}

/**
 * The entry that serves a model: the first deployment whose `model_slug` resolves to it, else the first resource;
 * undefined when the credential has neither.
 */
export function azureEntryFor(
  credential: AzureCredential,
  modelId: string,
  resolveModelId: (name: string) => string,
): AzureEntry | undefined {
  const deployment = credential.entries.find(
    (entry) => entry.kind === 'deployment' && resolveModelId(entry.modelSlug) === modelId,
  );
  return deployment ?? credential.entries.find((entry) => entry.kind === 'resource');
}

/** More than a resource has deployments; also limits the number of violations. */
const MAX_ENTRIES = 100;

const WANTED = 'a JSON array of configuration objects';
const NOT_JSON: RuleViolation = { rule: 'json', message: `must be ${WANTED}` };
const TOO_MANY: RuleViolation = { rule: 'count', message: `must have at most ${MAX_ENTRIES} entries` };

/** An entry with any member of a deployment is read as a deployment. */
function parseEntry(entry: unknown, path: string, allowPrivateUpstreams: boolean): Parsed<AzureEntry> {
  const isDeployment =
    isObject(entry) && ['model_slug', 'endpoint_url', 'model_id'].some((name) => Object.hasOwn(entry, name));
  return isDeployment ? parseDeployment(entry, path, allowPrivateUpstreams) : parseResource(entry, path);
}

function parseResource(entry: unknown, path: string): Parsed<AzureResource> {
  const read = readObject(entry, path, {
    api_key: required(visibleAscii),
    resource_name: required(resourceName),
    resource_type: optional(oneOf(['catalog', 'deployment'])),
    api_version: optional(apiVersion),
  });
  if (!('ok' in read)) return read;
  const { api_key: apiKey, resource_name: resourceNameText, resource_type: resourceType } = read.ok;
  const { api_version: version } = read.ok;
  return {
    ok: hideMembers({
      kind: 'resource',
      apiKey,
      resourceName: resourceNameText,
      resourceType: resourceType === 'catalog' ? 'catalog' : 'deployment',
      apiVersion: version ?? null,
    }),
  };
}

/** Versions are dates, some with a suffix. */
const API_VERSION = /^(?:v1|\d{4}-\d{2}-\d{2}(?:-preview)?)$/;

function apiVersion(text: string): RuleViolation | undefined {
  if (API_VERSION.test(text)) return undefined;
  return {
    rule: 'api_version',
    message: 'must be v1, or a version such as 2024-10-21 or 2025-04-01-preview',
  };
}

function parseDeployment(
  entry: unknown,
  path: string,
  allowPrivateUpstreams: boolean,
): Parsed<AzureDeployment> {
  const read = readObject(entry, path, {
    model_slug: required(printableName),
    endpoint_url: required((text) => endpointViolation(text, allowPrivateUpstreams)),
    api_key: required(visibleAscii),
    model_id: required(printableName),
  });
  if (!('ok' in read)) return read;
  const { api_key: apiKey, model_slug: modelSlug, endpoint_url: endpointUrl, model_id: modelId } = read.ok;
  return { ok: hideMembers({ kind: 'deployment', apiKey, modelSlug, endpointUrl, modelId }) };
}

/** Hosts of Azure's deployments, including sovereign clouds. */
const HOST_SUFFIXES = [
  '.openai.azure.com',
  '.services.ai.azure.com',
  '.cognitiveservices.azure.com',
  '.inference.ai.azure.com',
  '.models.ai.azure.com',
  '.openai.azure.us',
  '.openai.azure.cn',
];

/** What Azure's portal shows the URL of: deployments have one of them. */
const OPERATIONS = ['/chat/completions', '/embeddings'];

/** Whether only Azure can have the host. */
export function isAzureHost(hostname: string): boolean {
  return HOST_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

function endpointViolation(text: string, allowPrivateUpstreams: boolean): RuleViolation | undefined {
  const violation = callableUrl(allowPrivateUpstreams)(text);
  const url = parseUrl(text);
  if (violation !== undefined || url === undefined) return violation;
  if (!allowPrivateUpstreams && !isAzureHost(url.hostname)) {
    return { rule: 'host', message: `must have a host that ends in ${HOST_SUFFIXES.join(', ')}` };
  }
  if (!OPERATIONS.some((path) => url.pathname.endsWith(path))) {
    return { rule: 'path', message: `must be the full URL, which ends in ${OPERATIONS.join(' or ')}` };
  }
  if (!url.searchParams.has('api-version')) {
    return { rule: 'api_version', message: 'must carry an api-version query parameter' };
  }
  return undefined;
}
