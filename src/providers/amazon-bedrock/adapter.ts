/** Amazon Bedrock's operations Converse and, for requests in the Messages format, InvokeModel, streamed and in one piece: `docs/formats.md#amazon-bedrock`. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import { runInSlices } from '../../base/time-slices.js';
import type { BedrockCredential } from '../../byok/kinds/amazon-bedrock.js';
import { bedrockRegion } from '../../byok/kinds/region.js';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, members } from '../../formats/json.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { CONVERSE_PLACES } from '../adapted/converse.js';
import { reportAdapted } from '../adapted/report.js';
import { readAnswer as readMessage } from '../anthropic/answer.js';
import { answerJson, EVENT_LIMITS, SHORT_BYTES, shortAnswerJson } from '../http/answer-json.js';
import { malformed, truncated } from '../http/failures.js';
import type { Http, HttpResponse } from '../http/http.js';
import { type DecodingWork, type EventDecoder, ProviderStream } from '../http/provider-stream.js';
import { readJsonBody, readText } from '../http/read-body.js';
import type { InlineMedia } from '../inline-media.js';
import { readArguments } from '../nested-json.js';
import { redacting } from '../redaction/redaction.js';
import { eventsOf } from '../whole-answer.js';
import { readAnswer } from './answer.js';
import type { RequestContext } from './auth-message.js';
import { exceptionFailure, responseFailure } from './error-response.js';
import { type Frame, FrameSplitter } from './event-stream.js';
import { EventReader } from './events.js';
import { ChunkReader, invokeBody, invokeUrl } from './invoke.js';
import { modelOf } from './model.js';
import { converseBody, converseUrl } from './request.js';
import { sign, signatureIn } from './sigv4.js';

/** Limit of an answer in one piece; text never comes near it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** How much of an error's body is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

export interface BedrockDependencies {
  readonly http: Http;
  /** For media that a request names by URL, which Converse does not fetch. */
  readonly inlineMedia: InlineMedia;
  readonly clock: Clock;
}

type Call = UpstreamCall<BedrockCredential>;

export function createBedrockAdapter(dependencies: BedrockDependencies): UpstreamAdapter<BedrockCredential> {
  return redacting({
    complete: (call, redactor) => complete(dependencies, call, redactor),
    stream: (call, redactor) =>
      new ProviderStream({
        open: () => sendRequest(dependencies, call, contextOf(call, true), redactor),
        decoder: new FrameDecoder(
          call.format === 'chat' ? new EventReader(modelOf(call.endpoint)) : new ChunkReader(),
        ),
        readWhole: async (response) => eventsOf(await readWhole(response, call)),
        onBytes: call.onBytes,
      }),
  });
}

async function complete(
  dependencies: BedrockDependencies,
  call: Call,
  redactor: Redactor,
): Promise<UpstreamAnswer> {
  return readWhole(await sendRequest(dependencies, call, contextOf(call, false), redactor), call);
}

async function readWhole({ body }: HttpResponse, call: Call): Promise<UpstreamAnswer> {
  const answer = await readJsonBody(body, MAX_ANSWER_BYTES);
  const { format } = call;
  return format === 'chat'
    ? { format, ...readAnswer(answer, modelOf(call.endpoint)) }
    : { format, native: members(answer), told: readMessage(answer) };
}

interface Reader {
  read(type: string, event: JsonObject): readonly UpstreamEvent[];
}

/** Reads to the end of the body, since the usage comes last. Without a finish event the answer was truncated. */
class FrameDecoder implements EventDecoder {
  readonly #frames = new FrameSplitter();
  readonly #events: Reader;
  readonly isDone = false;

  constructor(events: Reader) {
    this.#events = events;
  }

  take(bytes: Buffer, events: UpstreamEvent[]): DecodingWork | undefined {
    this.#frames.push(bytes);
    for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
      if (frame.payload.length > SHORT_BYTES) return this.#takeInSlices(frame, events);
      this.#read(frame, shortAnswerJson(frame.payload.toString('utf8')), events);
    }
    return undefined;
  }

  *#takeInSlices(first: Frame, events: UpstreamEvent[]): DecodingWork {
    for (let frame: Frame | undefined = first; frame !== undefined; frame = this.#frames.next()) {
      this.#read(frame, yield* answerJson(frame.payload, EVENT_LIMITS), events);
      yield;
    }
  }

  #read(frame: Frame, json: unknown, events: UpstreamEvent[]): void {
    const event = eventIn(frame, json);
    const type = frame.headers.get(':event-type') ?? '';
    for (const read of this.#events.read(type, event)) events.push(read);
  }

  end(): undefined {
    if (this.#frames.isInside) throw truncated();
  }
}

/** The event of a frame with this JSON. Throws an `UpstreamFailure` for a frame that reports an error. */
function eventIn({ headers }: Frame, event: unknown): JsonObject {
  switch (headers.get(':message-type')) {
    case 'exception':
      throw exceptionFailure(headers.get(':exception-type') ?? '', isObject(event) ? event : {});
    case 'error':
      throw exceptionFailure(headers.get(':error-code') ?? '', { message: headers.get(':error-message') });
    default:
      if (!isObject(event)) throw malformed();
      return event;
  }
}

function contextOf({ credential, region, endpoint }: Call, isStreamed: boolean): RequestContext {
  return { credential, region: region ?? bedrockRegion(credential, endpoint.region), isStreamed };
}

async function translated(
  call: UpstreamCall<BedrockCredential, 'chat'>,
  inlineMedia: InlineMedia,
): Promise<JsonObject> {
  const body = await inlineMedia(call.body, call);
  const sent = converseBody({ ...call, body }, await runInSlices(readArguments(body)));
  reportAdapted(call, CONVERSE_PLACES, sent);
  return sent;
}

/** A successful response, its body not yet read. */
async function sendRequest(
  { http, inlineMedia, clock }: BedrockDependencies,
  call: Call,
  context: RequestContext,
  redactor: Redactor,
): Promise<HttpResponse> {
  const { provider, endpoint, format, signal, tenancy, hostHeaders } = call;
  const { credential, region, isStreamed } = context;
  const urlOf = format === 'chat' ? converseUrl : invokeUrl;
  const url = urlOf(provider, region, endpoint.upstreamModelId, isStreamed);
  const sent = await jsonBody(
    call.format === 'chat' ? await translated(call, inlineMedia) : invokeBody(call),
  );
  const plain = { 'content-type': 'application/json' };
  const headers =
    credential.kind === 'api_key'
      ? { ...plain, authorization: `Bearer ${credential.apiKey}` }
      : sign({ url, headers: plain, body: sent }, credential, region, clock.now());
  if (credential.kind === 'access_key') redactor.addSignature(signatureIn(headers));
  const accept = isStreamed ? 'application/vnd.amazon.eventstream' : 'application/json';
  const answer = await http.post({
    url,
    headers: { ...headers, accept },
    body: sent,
    signal,
    tenancy,
    hostHeaders,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw responseFailure({ ...answer, text }, context, clock.now());
  }
  call.onFirstByte();
  return answer;
}
