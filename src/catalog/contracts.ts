import type { ChatContract } from './chat-contract.js';
import type { EmbeddingsContract } from './embeddings-contract.js';
import type { MessagesContract } from './messages-contract.js';
import type { ResponsesContract } from './responses-contract.js';
import type { AdapterName, Endpoint, Format, Provider } from './types.js';

/** What hosts take of a request, by its format. */
export interface Contracts extends Record<Format, object> {
  readonly chat: ChatContract;
  readonly messages: MessagesContract;
  readonly responses: ResponsesContract;
  /** Hosts judge for themselves. */
  readonly completions: object;
  readonly embeddings: EmbeddingsContract;
  /** Hosts judge for themselves. */
  readonly rerank: object;
}

/** The contract of an endpoint for requests in a format; null where its hosts take whatever they are sent. */
export type HostContracts = {
  readonly [F in Format]: ((endpoint: Endpoint, provider: Provider) => Contracts[F]) | null;
};

export type ContractsOfAdapters = Readonly<Record<AdapterName, HostContracts>>;
