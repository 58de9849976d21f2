/** Base URLs as clients are given them: what counts as the REST root, and what of a mistaken one can be told. */
import { pathOfUrl } from '../base/url.js';
import { notOffered, notOfferedOfOllama } from './not-offered.js';
import { REST_ROOT } from './operation.js';

/** `/v1`, the root at most other gateways; `/v1` twice, where a client appends its own. */
const ROOT = /^(?:\/api)?(?:\/v1){1,2}(?=[/?]|$)/;

/** Cohere's clients append `/v2/rerank` to their base URL. */
const COHERE_ROOT = /^(?:\/api)?(?:\/v1)?\/v2(?=\/rerank(?:\?|$))/;

/** `/model/AUTHOR/SLUG`: one model, as SDKs of compatible services ask for it. */
const ONE_MODEL = /^\/model(?=\/[^/?]+\/[^/?]+\/?(?:\?|$))/;

/**
 * The URL (a path with its query) below the REST root: `/v1/models` and `/v1/v1/models` are `/api/v1/models`, `/v2/rerank` is
 * `/api/v1/rerank`, and `/api/v1/model/AUTHOR/SLUG` is `/api/v1/models/AUTHOR/SLUG`. Any other URL stays as it is.
 */
export function belowRestRoot(url: string): string {
  const [root] = COHERE_ROOT.exec(url) ?? ROOT.exec(url) ?? [];
  if (root === undefined) return url;
  return REST_ROOT + url.slice(root.length).replace(ONE_MODEL, '/models');
}

/** Longer paths are nobody's slip. */
const MAX_SEGMENTS = 12;

/** What an unknown path tells of the mistake; `reason` as in the error. */
export interface Mistake {
  readonly reason: 'unknown_path' | 'not_offered';
  readonly message: string;
}

/** `baseUrl` is the root of absolute URLs, without a trailing slash. */
export function mistakeOf(path: string, isKnown: (path: string) => boolean, baseUrl: string): Mistake {
  const ofOllama = notOfferedOfOllama(path);
  if (ofOllama !== undefined) return { reason: 'not_offered', message: ofOllama };
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'v1');
  const [first, ...others] = segments;
  const below = first === 'api' ? others : segments;
  if (below.length === 0) return unknown(`${UNKNOWN}: ${bases(baseUrl)}`);
  if (segments.length > MAX_SEGMENTS) return unknown(UNKNOWN);
  const ends = below.map((_, index) => below.slice(index));
  const meant = ends.flatMap((end) => spellings(`${REST_ROOT}/${end.join('/')}`)).find(isKnown);
  const missing = notOffered(below) ?? (meant === undefined ? firstOf(ends) : undefined);
  if (missing !== undefined && !isKnown(`${REST_ROOT}/${below.join('/')}`)) {
    return { reason: 'not_offered', message: missing };
  }
  if (meant === undefined) return unknown(UNKNOWN);
  return unknown(`${UNKNOWN}; did you mean ${pathOfUrl(baseUrl)}${meant}?${baseFor(meant, baseUrl)}`);
}

/** The path, and what it is but for its last letters: `/chat`, `/chat/completion`, `/message`, `/model`. */
function spellings(path: string): string[] {
  return [path, `${path}s`, `${path}/completions`];
}

const UNKNOWN = 'Unknown path';

function unknown(message: string): Mistake {
  return { reason: 'unknown_path', message };
}

function firstOf(ends: readonly (readonly string[])[]): string | undefined {
  return ends.map(notOffered).find((message) => message !== undefined);
}

function bases(baseUrl: string): string {
  return `the base URL of OpenAI's clients is ${baseUrl}${REST_ROOT}, to which they append /chat/completions, and that of Anthropic's clients ${baseUrl}/api, to which they append /v1/messages`;
}

/** The base URL from which the client of the path's API gets there; empty where only this gateway's own do. */
function baseFor(path: string, baseUrl: string): string {
  if (path.startsWith(`${REST_ROOT}/messages`)) {
    return ` The base URL of Anthropic's clients is ${baseUrl}/api`;
  }
  const isOfOpenAi = ['/chat/completions', '/completions', '/models'].some((one) => path === REST_ROOT + one);
  return isOfOpenAi ? ` The base URL of OpenAI's clients is ${baseUrl}${REST_ROOT}` : '';
}
