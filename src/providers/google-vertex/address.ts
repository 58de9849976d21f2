/** Where Google's services are: their own hosts, or what the catalogue puts in the place of all of them. */
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import type { Provider } from '../../catalog/types.js';
import { providerUrl } from '../http/provider-url.js';

/** The location of calls that any region may serve. */
const GLOBAL = 'global';

/** Locations that stand for several regions; their hosts are called otherwise. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Where the tokens of ordinary accounts come from. */
const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** What is called below a project's location, such as `publishers/google/models/m:generateContent`. */
export interface Resource {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * A resource below a project's location; region null = global.
 * Throws an Error when the provider's base_url has a placeholder that nothing fills.
 */
export function resourceUrl(
  provider: Provider,
  projectId: string,
  region: string | null,
  { path, query = {} }: Resource,
): URL {
  const location = region ?? GLOBAL;
  const below = `/v1/projects/${projectId}/locations/${location}/${path}`;
  const url = providerUrl(provider, `https://${hostOf(location)}`, location, below);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** A path of Vertex AI's where the region's resources are; region null = global. Throws as `resourceUrl` does. */
export function vertexUrl(provider: Provider, region: string | null, path: string): URL {
  const location = region ?? GLOBAL;
  return providerUrl(provider, `https://${hostOf(location)}`, location, path);
}

/** A path of the storage service's; `storage_base_url`, else `base_url`, takes the place of its host (interface section 7). */
export function storageUrl(
  { slug, baseUrl, storageBaseUrl }: Provider,
  region: string | null,
  path: string,
): URL {
  const provider = { slug, baseUrl: storageBaseUrl ?? baseUrl };
  return providerUrl(provider, 'https://storage.googleapis.com', region ?? GLOBAL, path);
}

/** Where a credential's tokens come from, and whether the operator said so. */
export interface TokenAddress {
  readonly url: URL;
  readonly isOperators: boolean;
}

/** `base_url` takes the place of Google's host here too; an address that is the credential's own stays as it is. */
export function tokenAddress(provider: Provider, { tokenUri, region }: VertexCredential): TokenAddress {
  const url = new URL(tokenUri);
  if (tokenUri !== GOOGLE_TOKEN_URI || provider.baseUrl === null) return { url, isOperators: false };
  return { url: providerUrl(provider, url.origin, region ?? GLOBAL, url.pathname), isOperators: true };
}

function hostOf(location: string): string {
  if (location === GLOBAL) return 'aiplatform.googleapis.com';
  if (MULTI_REGIONS.has(location)) return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}
