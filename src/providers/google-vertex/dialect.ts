import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamAnswer, UpstreamCall, UpstreamEvent } from '../../inference/attempts/adapter.js';
import type { Resource } from './address.js';

/** What of a call its body depends on. */
export type AskedCall = Pick<UpstreamCall, 'body' | 'endpoint' | 'reasoning'>;

/** How the models of one kind of publisher are spoken to; what is around it is the same for all. */
export interface Dialect {
  /** What is called below a project's location, for a model by its publisher's name of it. */
  resource(model: string, isStreamed: boolean): Resource;
  /** The body of the request; what it throws fails the attempt. */
  body(call: AskedCall, model: string, isStreamed: boolean): JsonObject;
  /** An answer in one piece, from its JSON. Throws `UpstreamFailure` when it is none. */
  readAnswer(answer: unknown): UpstreamAnswer;
  /** Reads one stream. */
  createReader(): EventReader;
}

/** Where one stream stands. */
export interface EventReader {
  /** What an event comes to, which may be nothing. Throws `UpstreamFailure` where the answer broke off. */
  read(event: JsonObject): Iterable<UpstreamEvent>;
  /** Whether it has said that it is at its end, where the protocol has a word for that. */
  readonly isDone?: boolean;
}

/** A model's name as a part of a path. */
export function pathSegment(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@');
}
