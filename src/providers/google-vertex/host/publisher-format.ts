import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import type { CallCommons, NormalizedAnswer, UpstreamCall } from '../../../inference/ports/adapter.js';
import type { NestedJson, ReadNested } from '../../common/nested-json.js';
import type { BodyInput } from '../../openai/chat/request.js';
import type { EventReader } from './answers.js';
import type { Resource } from './url.js';

/** The call that an answer is for. */
export type AnsweredCall = Pick<UpstreamCall<unknown, 'chat'>, 'endpoint' | 'body'>;

/** `apiHeaders` are missing in batches. */
type PublisherInput = BodyInput &
  Partial<Pick<CallCommons, 'apiHeaders'>> & {
    readonly provider?: Pick<CallCommons['provider'], 'name'>;
    readonly nested: NestedJson;
  };

/** Chats in the format of one publisher's models. Host, authentication and errors are the same for all. */
export interface PublisherFormat {
  /** Whether its models take media by URL. */
  readonly takesUrls: boolean;
  /** What its models take of a chat; `model` as below. */
  contract(endpoint: Endpoint, model: string): ChatContract;
  /** `model` is the publisher's own name of it. */
  resource(model: string, isStreamed: boolean): Resource;
  /** Parses what the models take as JSON and chats have as text. */
  readonly readNested: ReadNested;
  /** Throws `UpstreamFailure` for content that the model does not take. */
  body(input: PublisherInput, model: string, isStreamed: boolean): JsonObject;
  /** Headers of this format. */
  headers?(call: UpstreamCall<unknown, 'chat'>): Readonly<Record<string, string>>;
  /**
   * Reads an answer in one piece from its JSON. Lines of batches have no `call`. Throws `UpstreamFailure` for anything
   * else.
   */
  readAnswer(answer: unknown, call?: AnsweredCall): NormalizedAnswer;
  /** A reader for one stream. */
  createReader(call: AnsweredCall): EventReader;
}
