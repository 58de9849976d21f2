import type { JsonObject } from '@bufbuild/protobuf';
import type { Format } from '../../catalog/types.js';
import { readCompletion } from '../../formats/completions/reader.js';
import type { CompletionBody } from '../../formats/completions/types.js';
import { readEmbeddings } from '../../formats/embeddings/reader.js';
import type { EmbeddingsBody } from '../../formats/embeddings/types.js';
import { readMessages } from '../../formats/messages/reader.js';
import type { MessagesBody } from '../../formats/messages/types.js';
import { readRerank } from '../../formats/rerank/reader.js';
import type { RerankBody } from '../../formats/rerank/types.js';
import { readResponses } from '../../formats/responses/reader.js';
import type { ResponsesBody } from '../../formats/responses/types.js';
import type { RouteRequest } from '../../routing/router/router.js';
import { nativeDemand } from './native-demand.js';

/** A request that is explained, as a chat. */
export interface ExplainedChat extends Pick<RouteRequest, 'native'> {
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request as a chat, and what it demands beyond that, by the format that it was sent in. */
export const EXPLAINED_AS_CHATS: Readonly<Record<Format, (sent: JsonObject) => ExplainedChat>> = {
  chat: (body) => ({ body }),
  messages: readAsChat,
  responses: readResponsesAsChat,
  completions: readCompletionAsChat,
  embeddings: readEmbeddingsAsChat,
  rerank: readRerankAsChat,
};

/** Without messages, as far as the others tell. */
function readAsChat({ messages = [], ...members }: JsonObject): ExplainedChat {
  const read = readMessages({ ...members, messages } as MessagesBody);
  return { body: { ...read.chat }, native: nativeDemand('messages', read) };
}

/** Without input, as far as the others tell. */
function readResponsesAsChat({ input = [], ...members }: JsonObject): ExplainedChat {
  const read = readResponses({ ...members, input } as ResponsesBody);
  return { body: { ...read.chat }, native: nativeDemand('responses', read) };
}

/** Without a prompt, as far as the others tell. */
function readCompletionAsChat({ prompt = '', ...members }: JsonObject): ExplainedChat {
  const { chat, ...native } = readCompletion({ ...members, prompt } as CompletionBody);
  return { body: { ...chat }, native };
}

/** Without input, as far as the others tell. */
function readEmbeddingsAsChat({ input = '', ...members }: JsonObject): ExplainedChat {
  const { chat, ...native } = readEmbeddings({ ...members, input } as EmbeddingsBody);
  return { body: { ...chat }, native };
}

/** Without query and documents, as far as the others tell. */
function readRerankAsChat({ query = '', documents = [], ...members }: JsonObject): ExplainedChat {
  const { chat, ...native } = readRerank({ ...members, query, documents } as RerankBody);
  return { body: { ...chat }, native };
}
