/** The two methods of an inference API, whole and streamed: what they have in common, whichever API it is. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { Problem, type Reason, type Violation } from '../base/problem.js';
import { mapStream, type PushStream } from '../base/push-stream.js';
import { ownSizeViolations } from '../formats/answer-size.js';
import { hostWorkViolations } from '../formats/host-work.js';
import type { RoutingMembers } from '../formats/routing-members.js';
import { adaptedHeader } from '../inference/attempts/adapted-members.js';
import type { Inference } from '../inference/inference.js';
import type { AnswerFormat } from '../inference/ports/answer-format.js';
import type { InferenceRequest } from '../inference/ports/inference-request.js';
import { routeViolations } from '../routing/plan/preferences.js';
import { requireEndUser } from './attribution.js';
import type { OpenMethod } from './define-service.js';
import { REMAINING_USD } from './errors.js';

/** Header of every answer: the identifier of its generation record. */
const GENERATION_ID = 'x-generation-id';

/** Header of an answer: the members of the request that were sent otherwise than written, or not. */
const ADAPTED = 'x-byway-adapted';

/** Header of an answer that was looked for in the cache: `hit` or `miss`. */
const CACHE = 'x-byway-cache';

/** Counts open streams. */
export interface StreamMeter {
  streamOpened(): void;
  streamClosed(): void;
}

/** Whatever answers requests of an inference API. */
export interface Answering {
  readonly inference: Inference;
  /** What is left of the tightest limit or budget of a request now, in USD; undefined without any. */
  remainingUsd(request: InferenceRequest): Promise<string | undefined>;
  readonly meter: StreamMeter;
}

/** A request, and how it is answered. */
export interface ReadCall<Whole extends object, Piece extends object> {
  readonly request: InferenceRequest;
  readonly format: AnswerFormat<Whole, Piece>;
  /** The answer as its client is given it, where that is less than the format says. */
  readonly shown?: ShownAnswer<Whole, Piece>;
}

export interface ShownAnswer<Whole, Piece> {
  whole(answer: Whole): object;
  pieces(pieces: readonly Piece[]): readonly object[];
}

/** What an API makes of the bodies of its requests, which are valid in the contract. */
export interface InferenceApi<Whole extends object, Piece extends object> {
  read(body: JsonObject, context: HandlerContext): ReadCall<Whole, Piece>;
  /** The rules of its own that a body breaks, beyond the contract's and those of all APIs. */
  violations?(body: JsonObject): readonly Violation[];
}

/** Both methods tell of the record, and of what was adapted, in headers. */
export function inferenceMethods<Whole extends object, Piece extends object>(
  { inference, meter, remainingUsd }: Answering,
  { read, violations: ofApi }: InferenceApi<Whole, Piece>,
): { readonly whole: OpenMethod; readonly streamed: OpenMethod } {
  const violations: OpenMethod['violations'] = (body) => [
    ...inferenceViolations(body),
    ...(ofApi?.(body) ?? []),
  ];
  return {
    whole: {
      violations,
      async call(body, context) {
        const { request, format, shown } = read(body, context);
        requireEndUser(request);
        let admitted: (() => void) | undefined;
        const remaining = () => remainingUsd(request);
        const answer = await inference
          .complete({
            request,
            format,
            onAdmitted(id, cache) {
              admitted = () => tellAdmitted(context, id, cache);
            },
            onServed: (adapted) => tellAdapted(context, adapted),
          })
          .catch(async (thrown: unknown) => {
            throw await withRemaining(thrown, remaining);
          });
        admitted?.();
        await tellRemaining(context, remaining);
        return shown === undefined ? answer : shown.whole(answer);
      },
    },
    streamed: {
      violations,
      call(body, context) {
        const call = read(body, context);
        requireEndUser(call.request);
        return answerStream(context, { inference, meter, remainingUsd }, call);
      },
    },
  };
}

/** What no request to a provider may say, whichever API it came by. */
export function inferenceViolations(body: JsonObject): readonly Violation[] {
  // The contract's rules hold for the body by now, or are told of beside what is found here.
  return [
    ...routeViolations(body as RoutingMembers),
    ...ownSizeViolations(body),
    ...hostWorkViolations(body),
  ];
}

/**
 * The answer as it comes. It is counted, and has the generation's id as a header from the admission on, since an answer may
 * begin before its first item. A call that fails before its admission has no answer, and so no such header.
 */
function answerStream<Whole extends object, Piece extends object>(
  context: HandlerContext,
  { inference, meter, remainingUsd }: Answering,
  { request, format, shown }: ReadCall<Whole, Piece>,
): PushStream<object> {
  const { responseHeader } = context;
  let hasBegun = false;
  const remaining = () => remainingUsd(request);
  meter.streamOpened();
  const stream = inference.stream({
    request,
    format,
    async onAdmitted(id, cache) {
      tellAdmitted(context, id, cache);
      await tellRemaining(context, remaining);
    },
    onServed: (adapted) => tellAdapted(context, adapted),
    failing: async (thrown) => (hasBegun ? thrown : withRemaining(thrown, remaining)),
  });
  return mapStream<Piece, object>(stream, {
    items(pieces) {
      hasBegun = true;
      return shown === undefined ? pieces : shown.pieces(pieces);
    },
    error(thrown) {
      if (!hasBegun) for (const name of [GENERATION_ID, CACHE]) responseHeader.delete(name);
      return thrown;
    },
    closed: () => meter.streamClosed(),
  });
}

/** Names the record, and says whether the cache had the answer where it was looked for. */
function tellAdmitted({ responseHeader }: HandlerContext, id: string, cache: string | null): void {
  responseHeader.set(GENERATION_ID, id);
  if (cache !== null) responseHeader.set(CACHE, cache);
}

type Remaining = () => Promise<string | undefined>;

/** Says in the head of an answer what is left of the caller's limits; nothing where that can't be read. */
async function tellRemaining({ responseHeader }: HandlerContext, remaining: Remaining): Promise<void> {
  const left = await remaining().catch(() => undefined);
  if (left !== undefined) responseHeader.set(REMAINING_USD, left);
}

/** Nobody hears it, or what is left can't be read now. */
const SAYS_NOTHING: ReadonlySet<Reason> = new Set(['client_closed', 'database_unavailable', 'shutting_down']);

/** The same failure, which says what is left of the caller's limits. */
async function withRemaining(thrown: unknown, remaining: Remaining): Promise<unknown> {
  if (!(thrown instanceof Problem) || SAYS_NOTHING.has(thrown.reason)) return thrown;
  const left = await remaining().catch(() => undefined);
  return left === undefined ? thrown : thrown.withRemaining(left);
}

/** Says in the head of an answer what was adapted; where that has gone already, only the record does. */
function tellAdapted({ responseHeader }: HandlerContext, adapted: readonly string[]): void {
  const header = adaptedHeader(adapted);
  if (header !== undefined) responseHeader.set(ADAPTED, header);
}
