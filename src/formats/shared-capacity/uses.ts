import { asksForGeo } from '../../catalog/modes.js';
import type { Format, NativeFormat } from '../../catalog/types.js';
import type { Untaken, Uses } from '../chat/untaken.js';
import { usesOfChat } from '../chat/uses.js';
import { usesOfCompletions } from '../completions/uses.js';
import { usesOfEmbeddings } from '../embeddings/uses.js';
import type { JsonObject } from '../json.js';
import { usesOfMessages } from '../messages/uses.js';
import { usesOfRerank } from '../rerank/uses.js';
import { usesOfResponses } from '../responses/uses.js';
import { MEMBER_NAMES } from './member-names.js';

const USES: { readonly [F in Format]: (body: JsonObject) => Uses<F> } = {
  chat: usesOfChat,
  messages: usesOfMessages,
  responses: usesOfResponses,
  completions: usesOfCompletions,
  embeddings: usesOfEmbeddings,
  rerank: usesOfRerank,
};

/** A native request as it came. */
interface NativeBody {
  readonly format: NativeFormat;
  readonly body: JsonObject;
}

type Known = { [F in Format]?: Uses<F> };

/** Finds what a request uses, once for each format that it may be sent in, and only when asked. */
export class RequestUses {
  readonly #chat: JsonObject;
  readonly #native: NativeBody | undefined;
  readonly #known: Known = {};

  /** `native`: the request as it came, if it is not a chat. */
  constructor(chat: JsonObject, native?: NativeBody) {
    this.#chat = chat;
    this.#native = native;
  }

  /** What the request uses when it is sent in this format: its own, or that of chats. */
  sentAs<F extends Format>(format: F): Uses<F> {
    const known: Uses<F> | undefined = this.#known[format];
    if (known !== undefined) return known;
    const found = USES[format](format === this.#native?.format ? this.#native.body : this.#chat);
    this.#known[format] = found as Known[F];
    return found;
  }

  /** Whether the request must be served in a place that it names. */
  get namesGeo(): boolean {
    return asksForGeo(this.#chat.inference_geo) || asksForGeo(this.#native?.body.inference_geo);
  }

  /** The path in the client's own request of what stands in the one that is sent. */
  fieldOf({ field, kind }: Untaken): string {
    const native = this.#native;
    if (native === undefined) return field;
    const path = kind === undefined ? field : (this.sentAs(native.format).pathOf(kind) ?? 'messages');
    return MEMBER_NAMES[native.format].get(path) ?? path;
  }
}

/** Of requests without content. */
export const NO_USES = new RequestUses({});
