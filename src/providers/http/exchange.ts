/**
 * Makes one call to a provider over HTTP, in the same way for all providers. Formats and authentication come from
 * tables.
 */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import { type PushStream, pushed } from '../../base/push-stream.js';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type { CredentialOrEntry } from '../../byok/redaction/secrets.js';
import type { Format } from '../../catalog/types.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import {
  streamWithFunctionCalls,
  wantsFunctionCalls,
  withFunctionCalls,
} from '../fit/calls/restore-functions.js';
import { restoredAnswer, restoredStream } from '../fit/chat/restore-names.js';
import { redacting, redactJson } from '../redaction/redaction.js';
import type { Codec, HttpProvider, Outgoing } from './codec.js';
import type { HttpResponse } from './http.js';
import { answersInParts } from './in-parts.js';
import { ProviderStream } from './provider-stream.js';
import { readJsonBody, readText } from './read-body.js';
import { WholeCharacterDecoder, wholeCharactersIn, wholeCharactersOf } from './whole-characters.js';

/** Maximum size of an answer in one piece that may contain images or audio in base64. */
export const MAX_MEDIA_ANSWER_BYTES = 64 * 1024 * 1024;

/** Maximum size of an answer in one piece that is only text, which is never that long. */
export const MAX_TEXT_ANSWER_BYTES = 8 * 1024 * 1024;

/** How much of an error's body is read. Real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** A count is a few dozen bytes. */
const MAX_COUNT_BYTES = MAX_ERROR_BYTES;

export function createAdapter<Credential extends CredentialOrEntry>(
  provider: HttpProvider<Credential>,
  clock: Clock,
): UpstreamAdapter<Credential> {
  const exchange = new Exchange(provider, clock);
  return redacting<Credential>({
    async complete(given, redactor) {
      const codec = codecFor(provider, given);
      const { call, names } = codec.fit(given);
      const answer = await exchange.answer(codec, call, redactor);
      const whole = answer.format === 'chat' ? { ...answer, ...wholeCharactersOf(answer) } : answer;
      const restored = restoredAnswer(whole, names);
      return wantsFunctionCalls(given, call) ? withFunctionCalls(restored) : restored;
    },
    stream(given, redactor) {
      const codec = codecFor(provider, given);
      return begun(() => {
        const { call, names } = codec.fit(given);
        const isStreamed = codec.streams?.(call) ?? true;
        if (!isStreamed) call.onWhole?.();
        const decoder = codec.decoder(call);
        const stream = new ProviderStream({
          open: () => exchange.open(codec, call, isStreamed, redactor),
          isWhole: !isStreamed,
          // Native answers pass as they came.
          decoder: call.format === 'chat' ? new WholeCharacterDecoder(decoder) : decoder,
          readWhole: async ({ body }) =>
            wholeCharactersIn(codec.wholeEvents(await readJsonBody(body, codec), call)),
          onBytes: call.onBytes,
        });
        const restored = restoredStream(stream, call.format, names);
        return wantsFunctionCalls(given, call) ? streamWithFunctionCalls(restored) : restored;
      });
    },
    countTokens: (call, redactor) => exchange.count(codecFor(provider, call), call, redactor),
  });
}

/** Throws an Error if the provider has no codec for the call. The call is then made elsewhere. */
function codecFor<Credential>(
  { formats }: HttpProvider<Credential>,
  { format, endpoint }: UpstreamCall<Credential>,
): Codec<Credential> {
  const codec: HttpProvider<Credential>['formats'][Format] = formats[format];
  if (codec === null) throw new Error(`no call of the format ${format} can be made at ${endpoint.provider}`);
  return typeof codec === 'function' ? codec(endpoint) : codec;
}

/** The stream; where it can't begin, one that fails with what was thrown. */
function begun(make: () => PushStream<UpstreamEvent>): PushStream<UpstreamEvent> {
  try {
    return make();
  } catch (thrown) {
    return pushed({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(thrown) }) });
  }
}

class Exchange<Credential> {
  readonly #provider: HttpProvider<Credential>;
  readonly #clock: Clock;

  constructor(provider: HttpProvider<Credential>, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  /** The answer in one piece, of as many calls as the host wants for it. */
  async answer(
    codec: Codec<Credential>,
    call: UpstreamCall<Credential>,
    redactor: Redactor,
  ): Promise<UpstreamAnswer> {
    const made = async (part: UpstreamCall<Credential>) => {
      const { body, headers } = await this.open(codec, part, false, redactor);
      return codec.answer(await readJsonBody(body, codec), part, headers);
    };
    const { parts } = codec;
    if (parts === undefined) return made(call);
    return parts.joined(await answersInParts(parts.of(call), made));
  }

  /** Resolves to a successful response whose body has not been read. */
  async open(
    codec: Codec<Credential>,
    call: UpstreamCall<Credential>,
    isStreamed: boolean,
    redactor: Redactor,
  ): Promise<HttpResponse> {
    const accept = isStreamed ? codec.streamType : JSON_TYPE;
    const response = await this.#send(await codec.request(call, isStreamed), accept, call, redactor);
    if (!isSuccessful(response)) throw await this.#failureOf(response, codec, call, isStreamed);
    call.onFirstByte();
    const mode = codec.modeIn?.(response.headers);
    if (mode !== undefined) call.onMode?.(redactJson(mode, redactor));
    return response;
  }

  async count(
    codec: Codec<Credential>,
    call: UpstreamCall<Credential>,
    redactor: Redactor,
  ): Promise<number | undefined> {
    const { counter } = codec;
    if (counter === null) return undefined;
    const { call: fitted } = codec.fit(call);
    const response = await this.#send(await counter.request(fitted), JSON_TYPE, call, redactor);
    if (!isSuccessful(response)) throw await this.#failureOf(response, codec, call, false);
    const { text } = await readText(response.body, MAX_COUNT_BYTES);
    return counter.read(text);
  }

  async #send(
    { url, headers, body }: Outgoing,
    accept: string,
    call: UpstreamCall<Credential>,
    redactor: Redactor,
  ): Promise<HttpResponse> {
    const told = call.sessionHint?.headers;
    const request = { url, headers: { accept, ...told, ...headers }, body: await jsonBody(body) };
    return this.#provider.send(request, call, redactor);
  }

  async #failureOf(
    response: HttpResponse,
    codec: Codec<Credential>,
    call: UpstreamCall<Credential>,
    isStreamed: boolean,
  ) {
    const { text, isCut } = await readText(response.body, MAX_ERROR_BYTES);
    return codec.failure({ ...response, text }, { call, isStreamed, isCut, now: this.#clock.now() });
  }
}

const JSON_TYPE = 'application/json';

function isSuccessful({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}
