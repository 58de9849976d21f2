import type { JsonObject } from '../../../formats/chat/types.js';
import type { ToldAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import type { NestedJson, ReadNested } from '../../common/nested-json.js';
import type { BodyInput } from '../../openai/chat/request.js';
import type { EventReader } from './answers.js';
import type { Resource } from './url.js';

/** The call that an answer is to. */
export type AnsweredCall = Pick<UpstreamCall<unknown, 'chat'>, 'endpoint' | 'body'>;

/** Chats in the format of one publisher's models; host, authentication and errors are the same for all. */
export interface PublisherFormat {
  /** Whether its models take media by URL. */
  readonly takesUrls: boolean;
  /** `model` is the publisher's own name of it. */
  resource(model: string, isStreamed: boolean): Resource;
  /** Reads what its models take as JSON and chats have as text. */
  readonly readNested: ReadNested;
  /** Throws `UpstreamFailure` for content that the model does not take. */
  body(input: BodyInput & { readonly nested: NestedJson }, model: string, isStreamed: boolean): JsonObject;
  /** Headers beside the usual ones. */
  headers?(call: UpstreamCall<unknown, 'chat'>): Readonly<Record<string, string>>;
  /** Reads an answer in one piece from its JSON; lines of batches have no call. Throws `UpstreamFailure` for anything else. */
  readAnswer(answer: unknown, call?: AnsweredCall): ToldAnswer;
  /** A reader for one stream. */
  createReader(call: AnsweredCall): EventReader;
}
