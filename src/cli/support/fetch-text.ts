import type { Proxies } from '../../base/proxies.js';
import { createTrustedHttp, type Http, type HttpResponse } from '../../providers/http/http.js';
import { unansweredWords } from '../../providers/http/network-failure.js';
import { discard } from '../../providers/http/read-body.js';

const TIMEOUT_MS = 60_000;

/** Far larger than the public catalogues. */
const MAX_BYTES = 64 * 1024 * 1024;

const MAX_REDIRECTS = 10;

/**
 * The text behind the URL, which the operator has named. Throws an Error that names the URL without user, password and
 * query, the reason, and what may be done.
 */
export async function fetchText(url: string, proxies: Proxies): Promise<string> {
  const http = createTrustedHttp(proxies);
  try {
    return await readLimited(await get(http, checked(url)));
  } catch (error) {
    const shown = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : 'the URL';
    throw new Error(`cannot fetch ${shown}: ${unansweredWords(error, TIMEOUT_MS)}`);
  } finally {
    await http.close();
  }
}

async function get(http: Http, from: URL): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const tenancy = { accountId: '', isByok: false, mayWait: true };
  let url = from;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await http.send({ url, method: 'GET', headers: {}, body: null, signal, tenancy });
    const { location } = response.headers;
    if (response.status < 300) return response;
    discard(response.body);
    if (response.status >= 400 || location === undefined) throw new Error(`HTTP ${response.status}`);
    url = checked(location, url.href);
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}

function checked(text: string, base?: string): URL {
  if (!URL.canParse(text, base)) throw new Error('it is no URL');
  const url = new URL(text, base);
  if (!/^https?:$/.test(url.protocol)) throw new Error('it leads to what is no http or https URL');
  if (url.username !== '' || url.password !== '') throw new Error('it may not hold a user name or password');
  return url;
}

async function readLimited({ body }: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let count = 0;
  for await (const chunk of body) {
    count += chunk.length;
    if (count > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
