/** Finds the API roots that an address may stand for, as people write it: `docs/catalog.md#your-own-provider`. */
import { invalid } from '../../base/problem.js';
import { trimEnd } from '../../base/text.js';

/** Paths of operations, which are not part of a root. A path comes before paths that it ends with. */
const OPERATIONS = [
  '/chat/completions',
  '/completions',
  '/responses',
  '/embeddings',
  '/messages/count_tokens',
  '/messages',
  '/models',
];

/** Ollama's own API, which it has next to the compatible one. */
const OLLAMA = /\/api(?:\/(?:chat|generate|tags|show|version|embed|ps))?$/;

const VERSION = /\/v\d+(?:beta\d*)?$/;
const DOUBLED_VERSION = /(\/v\d+)\1$/;

/** Hosts that are called over http if no scheme is given. */
const NEAR =
  /^(?:localhost|[^.:]+|.*\.(?:localhost|local|internal|lan|home\.arpa)|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[.*\])$/i;

/**
 * The roots to try, the most likely first, without a trailing slash. Throws a 400 Problem if the text is not an http
 * URL, or has a user, a placeholder or a fragment.
 */
export function possibleRoots(text: string): [string, ...string[]] {
  const url = parsed(text.trim());
  const path = withoutOperation(trimEnd(url.pathname, '/'));
  const single = path.replace(DOUBLED_VERSION, '$1');
  const plain = single.replace(OLLAMA, '');
  const versioned = VERSION.test(plain) ? [] : [`${plain}/v1`];
  const beside = plain === single ? [] : [`${single}/v1`, single];
  const paths = plain === '' || plain !== single ? [...versioned, plain, ...beside] : [plain, ...versioned];
  const parents = VERSION.test(plain) ? [plain.replace(VERSION, '')] : [];
  const [first = '', ...others] = new Set([...paths, ...parents, '/v1']);
  const at = (one: string) => `${url.origin}${one}${url.search}`;
  return [at(first), ...others.map(at)];
}

function parsed(text: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const [host = ''] = text.split(/[/?#]/);
  const near = NEAR.test(host.replace(/:\d+$/, ''));
  const full = hasScheme ? text : `${near ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(full) || /[{}\s]/.test(full)) throw refused('must be an http or https URL');
  const url = new URL(full);
  if (!/^https?:$/.test(url.protocol)) throw refused('must be an http or https URL');
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'must have no user and password, which would not be sent; use --key-from-stdin or --header',
    );
  }
  return url;
}

function withoutOperation(path: string): string {
  const operation = OPERATIONS.find((one) => path.endsWith(one));
  return operation === undefined ? path : trimEnd(path.slice(0, -operation.length), '/');
}

function refused(message: string) {
  return invalid([{ field: '--url', rule: 'url', message }]);
}
