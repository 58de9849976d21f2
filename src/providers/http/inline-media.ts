/**
 * Fetches media that a request names by URL and puts them in the URL's place, for hosts that accept no URLs. As with
 * all addresses from callers, private ones are refused: `docs/credentials.md#addresses-in-credentials`.
 */
import { ByteCollector } from '../../base/memory/byte-collector.js';
import { SignalSource } from '../../base/signal.js';
import { elements, members } from '../../formats/json.js';
import type { CallCommons } from '../../inference/ports/adapter.js';
import { isUnsent, UpstreamFailure } from '../../inference/ports/failure.js';
import { mediaTypeOf } from '../common/media-type.js';
import { PRIVATE_ADDRESS } from './guard.js';
import type { Http, HttpResponse } from './http.js';
import { inlinedElements, urlsIn } from './media-parts.js';
import { discard } from './read-body.js';

/** A chat, or a request in the Messages format. */
interface Conversation {
  readonly messages?: unknown;
}

/**
 * Resolves to the request with all media inline; the same one if it names none by URL. Throws `UpstreamFailure`
 * `invalid_request` for media that can't be fetched.
 */
export type InlineMedia = <Body extends Conversation>(body: Body, fetch: Fetch) => Promise<Body>;

/** For which account media are fetched, and until when. */
type Fetch = Pick<CallCommons, 'signal' | 'tenancy'>;

export interface InlineMediaDependencies {
  /** Refuses private addresses, unless the operator allows them. */
  readonly guardedHttp: Http;
  /** Whether `http:` is accepted, not only `https:`. */
  readonly allowHttp: boolean;
}

/**
 * Maximum size of all media of a request, counted as often as they are sent. It is the largest that hosts accept for
 * one.
 */
const MAX_BYTES = 20 * 1024 * 1024;

/** Maximum of parts that name media by URL, repeated URLs included. */
const MAX_MEDIA = 100;
const MAX_REDIRECTS = 3;
const FETCH_MS = 30_000;

/** Shared by the attempts of a request: what was fetched, and the messages once they are complete. */
interface SharedMedia {
  readonly fetcher: MediaFetcher;
  messages?: readonly unknown[];
}

/** Each URL is fetched once per request, whose attempts share its messages. */
export function createInlineMedia(dependencies: InlineMediaDependencies): InlineMedia {
  const requests = new WeakMap<object, SharedMedia>();
  return async (body, { signal, tenancy }) => {
    const messages = elements(body.messages);
    const urls = messages.flatMap((message) => urlsIn(members(message).content));
    if (urls.length === 0) return body;
    // Hosts of media are the caller's choice, whichever credential the provider is called with.
    const fetch = { signal, tenancy: { ...tenancy, isByok: true, mayWait: true } };
    const shared = requests.get(messages) ?? { fetcher: new MediaFetcher(dependencies, urls) };
    requests.set(messages, shared);
    const dataUrl = async (url: string, type: unknown) => {
      const data = await shared.fetcher.dataUrl(url, fetch);
      if (type === 'document') checkDocument(data, url);
      return data;
    };
    shared.messages ??= await inlinedElements(messages, dataUrl);
    return { ...body, messages: shared.messages };
  };
}

/** Fetches the media of one request. Its size is that of what is sent: a URL in many parts counts for each of them. */
class MediaFetcher {
  readonly #dependencies: InlineMediaDependencies;
  /** How often each URL is sent. */
  readonly #uses = new Map<string, number>();
  readonly #known = new Map<string, string>();
  #bytesLeft = MAX_BYTES;

  /** Throws `UpstreamFailure` for too many URLs, before any is fetched. */
  constructor(dependencies: InlineMediaDependencies, urls: readonly string[]) {
    if (urls.length > MAX_MEDIA)
      throw refused(urls[0] ?? '', `a request may name media by URL in ${MAX_MEDIA} parts`);
    this.#dependencies = dependencies;
    for (const url of urls) this.#uses.set(url, (this.#uses.get(url) ?? 0) + 1);
  }

  async dataUrl(url: string, { signal, tenancy }: Fetch): Promise<string> {
    const known = this.#known.get(url);
    if (known !== undefined) return known;
    const limited = new SignalSource();
    const stop = () => limited.abort(signal.reason);
    const timer = setTimeout(() => limited.abort(refused(url, 'its server takes too long')), FETCH_MS);
    signal.addEventListener('abort', stop);
    try {
      const data = await this.#fetch(url, { signal: limited, tenancy });
      this.#known.set(url, data);
      return data;
    } catch (thrown) {
      // If a caller's server is too slow or can't be reached, that is not the provider's failure.
      const isOfGateway =
        isUnsent(thrown) || (thrown instanceof UpstreamFailure && thrown.kind === 'invalid_request');
      throw isOfGateway ? thrown : refused(url, whyUnreachable(thrown), thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  async #fetch(url: string, fetch: Fetch): Promise<string> {
    const uses = this.#uses.get(url) ?? 1;
    const response = await this.#get(url, fetch);
    const media = new ByteCollector();
    for await (const chunk of response.body) {
      media.add(chunk);
      if (media.length * uses > this.#bytesLeft)
        throw refused(
          url,
          `the media of a request may have ${MAX_BYTES} bytes together, each as often as it is named`,
        );
    }
    this.#bytesLeft -= media.length * uses;
    return `data:${typeOf(response, url)};base64,${media.bytes.toString('base64')}`;
  }

  /** Resolves to a successful response, after redirects, whose body has not been read. */
  async #get(url: string, fetch: Fetch): Promise<HttpResponse> {
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const request = {
        url: this.#checked(at, url),
        method: 'GET',
        headers: {},
        body: null,
        ...fetch,
      } as const;
      const response = await this.#dependencies.guardedHttp.send(request);
      const { location } = response.headers;
      if (response.status < 300) return response;
      discard(response.body);
      if (response.status >= 400 || location === undefined || !URL.canParse(location, at)) {
        throw refused(url, `its server answered with status ${response.status}`);
      }
      at = new URL(location, at).href;
    }
    throw refused(url, `its server redirects more than ${MAX_REDIRECTS} times`);
  }

  #checked(at: string, url: string): URL {
    const isAllowed = /^https:/i.test(at) || (this.#dependencies.allowHttp && /^http:/i.test(at));
    if (!URL.canParse(at) || !isAllowed) throw refused(url, 'it has to be an https URL');
    return new URL(at);
  }
}

/** Claude's hosts take no others. */
const DOCUMENT = /^data:(application\/pdf|text\/)/;

function checkDocument(data: string, url: string): void {
  if (DOCUMENT.test(data)) return;
  const type = data.slice('data:'.length, data.indexOf(';'));
  throw refused(url, `as a document it has to be a PDF or a text, and is ${type}`);
}

/** The type that the server names, else the one that the URL's file name shows. */
function typeOf({ headers }: HttpResponse, url: string): string {
  const [declared = ''] = (headers['content-type'] ?? '').split(';', 1);
  const named = mediaTypeOf(new URL(url).pathname);
  const type =
    declared === '' || declared === 'application/octet-stream' ? named : declared.trim().toLowerCase();
  if (type === undefined) throw refused(url, 'its server does not say what it is');
  return type;
}

/** Contains the code of a network error. Nothing is said about addresses that are not public. */
function whyUnreachable(thrown: unknown): string {
  const why = 'its server can’t be reached in time';
  const code = thrown instanceof UpstreamFailure ? thrown.network?.code : undefined;
  return code === undefined || code === PRIVATE_ADDRESS ? why : `${why} (${code})`;
}

/** Longer URLs are cut in messages. */
const MAX_SHOWN_CHARACTERS = 200;

function refused(url: string, why: string, cause?: unknown): UpstreamFailure {
  const message = `${url.slice(0, MAX_SHOWN_CHARACTERS)} could not be fetched for a provider that takes no URLs: ${why}`;
  return new UpstreamFailure(message, { kind: 'invalid_request', isPenalised: false, cause });
}
