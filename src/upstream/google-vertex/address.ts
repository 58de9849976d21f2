/** Where Google's services are: their own hosts, or what the catalogue puts in the place of all of them. */
import type { VertexCredential } from '../../byok/google-vertex.js';
import type { Provider } from '../../catalog/types.js';

/** The location of calls that any region may serve. */
const GLOBAL = 'global';

/** Locations that stand for several regions; their hosts are called otherwise. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Where the tokens of ordinary accounts come from. */
const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** What is called below a project's location, such as `publishers/google/models/m:generateContent`. */
export interface Resource {
  readonly path: string;
  readonly query?: string;
}

/**
 * A resource below a project's location; region null = global.
 * Throws an Error when the provider's base_url has a placeholder that nothing fills.
 */
export function resourceUrl(
  provider: Provider,
  projectId: string,
  region: string | null,
  { path, query = '' }: Resource,
): URL {
  const location = region ?? GLOBAL;
  const url = new URL(`https://${hostOf(location)}`);
  url.pathname = `/v1/projects/${projectId}/locations/${location}/${path}`;
  url.search = query;
  return rebased(url, provider, location);
}

/**
 * Where a credential's tokens come from. `base_url` takes the place of Google's own address as of every other; an
 * address of the credential's own stays, and is not the operator's.
 */
export function tokenAddress(
  provider: Provider,
  { tokenUri, region }: VertexCredential,
): { readonly url: URL; readonly isOperators: boolean } {
  const url = new URL(tokenUri);
  if (tokenUri !== GOOGLE_TOKEN_URI || provider.baseUrl === null) return { url, isOperators: false };
  return { url: rebased(url, provider, region ?? GLOBAL), isOperators: true };
}

function hostOf(location: string): string {
  if (location === GLOBAL) return 'aiplatform.googleapis.com';
  if (MULTI_REGIONS.has(location)) return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

function rebased(url: URL, { slug, baseUrl }: Provider, location: string): URL {
  if (baseUrl === null) return url;
  const root = baseUrl.replaceAll('{region}', location);
  if (root.includes('{')) throw new Error(`the base_url of ${slug} has a placeholder that nothing fills`);
  const base = new URL(root);
  const moved = new URL(base.origin);
  moved.pathname = base.pathname.replace(/\/+$/, '') + url.pathname;
  moved.search = url.search;
  return moved;
}
