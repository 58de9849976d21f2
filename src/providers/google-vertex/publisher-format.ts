import type { JsonObject } from '../../formats/chat/types.js';
import type { CallCommons, ToldAnswer, UpstreamCall, UpstreamEvent } from '../../inference/ports/adapter.js';
import type { NestedJson, ReadNested } from '../nested-json.js';
import type { BodyInput } from '../openai/request.js';
import type { Resource } from './url.js';

/** The format of one publisher's models; URL, authentication and errors are the same for all. */
export interface PublisherFormat {
  /** Whether its models take media by URL. */
  readonly takesUrls: boolean;
  /** `model` is the publisher's own name of it. */
  resource(model: string, isStreamed: boolean): Resource;
  /** Reads what its models take as JSON and chats have as text. */
  readonly readNested: ReadNested;
  /** Throws `UpstreamFailure` for content that the model does not take. */
  body(input: BodyInput & { readonly nested: NestedJson }, model: string, isStreamed: boolean): JsonObject;
  /** A request in the format of the publisher's own API, where it may be sent as it came. */
  nativeBody?(call: UpstreamCall, isStreamed: boolean): JsonObject;
  /** Headers beside the usual ones. */
  headers?(call: UpstreamCall): Readonly<Record<string, string>>;
  /** Reads an answer in one piece from its JSON; lines of batches have no call. Throws `UpstreamFailure` for anything else. */
  readAnswer(answer: unknown, call?: Pick<CallCommons, 'endpoint'>): ToldAnswer;
  /** A reader for one stream. */
  createReader(call: Pick<UpstreamCall, 'endpoint' | 'format'>): EventReader;
  /** Counts the tokens of a native request's prompt, where there is a way to. */
  readonly counter?: { readonly resource: Resource; body(call: UpstreamCall, model: string): JsonObject };
}

/** The state of one stream. */
export interface EventReader {
  /** `text` is the JSON of the event. Throws `UpstreamFailure` where the answer broke off. */
  read(event: JsonObject, text: string): Iterable<UpstreamEvent>;
  /** Whether the end of the stream was read, in formats that mark it. */
  readonly isDone?: boolean;
}

/** A model's name as a path segment. */
export function pathSegment(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@');
}
