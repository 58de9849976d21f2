/** URLs of Google's services, at their own hosts or at those in the catalogue. */
import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { Provider } from '../../../catalog/types.js';
import { providerUrl } from '../../http/provider-url.js';

/** The location of calls that any region may serve. */
const GLOBAL = 'global';

/** Multi-regions, whose hosts have names of another form. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** A path below a project's location, such as `publishers/google/models/m:generateContent`. */
export interface Resource {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * The URL of a resource below a project's location; region null = global. Throws an Error if the provider's base_url
 * has a placeholder without a value.
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

/** The URL of a path at the host of the region; region null = global. Throws as `resourceUrl` does. */
export function vertexUrl(provider: Provider, region: string | null, path: string): URL {
  const location = region ?? GLOBAL;
  return providerUrl(provider, `https://${hostOf(location)}`, location, path);
}

/**
 * The URL of a path of Cloud Storage. `storage_base_url`, else `base_url`, replaces its host. Throws as `resourceUrl`
 * does.
 */
export function storageUrl(
  { slug, baseUrl, storageBaseUrl }: Provider,
  region: string | null,
  path: string,
): URL {
  const provider = { slug, baseUrl: storageBaseUrl ?? baseUrl };
  return providerUrl(provider, 'https://storage.googleapis.com', region ?? GLOBAL, path);
}

/** Where a credential's tokens are requested. */
export interface TokenUrl {
  readonly url: URL;
  /** Whether the operator names the host, which may then be private. */
  readonly isOperators: boolean;
}

/** `base_url` replaces Google's host. A credential's own `token_uri` is used as it is. */
export function tokenUrl(provider: Provider, { tokenUri, region }: VertexCredential): TokenUrl {
  const url = new URL(tokenUri);
  if (tokenUri !== GOOGLE_TOKEN_URI || provider.baseUrl === null) return { url, isOperators: false };
  return { url: providerUrl(provider, url.origin, region ?? GLOBAL, url.pathname), isOperators: true };
}

function hostOf(location: string): string {
  if (location === GLOBAL) return 'aiplatform.googleapis.com';
  if (MULTI_REGIONS.has(location)) return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}
