import type { Format, NativeFormat } from '../../catalog/types.js';
import type { JsonObject } from '../chat/types.js';
import type { HostWork } from '../host-work.js';
import { isObject } from '../json.js';
import { ANY_CHAT } from './chat-members.js';
import { isPlain } from './plain.js';
import { type Found, Search } from './search.js';
import type { AllowedShape } from './shape.js';
import { NATIVE_REQUESTS } from './shapes-of-hosts.js';
import { workIn } from './work.js';

/** Data that a request reaches beyond the model that it asks. Routing decides what is allowed. */
export interface Reach {
  /** Objects of the credential's owner. */
  readonly owned: readonly Found[];
  /** Work that the host does on its own. */
  readonly work: readonly HostWork[];
  /** Members and types that change the answer and have no price. */
  readonly unpriced: readonly Found[];
  /** Other models that may answer, by the host's names, each once. */
  readonly models: readonly Found[];
  /** Texts in unknown members, which may be names of other models. */
  readonly mentions: readonly Found[];
  /** Where the request may be processed: values of `inference_geo`, and servers in unknown locations (null). */
  readonly locations: readonly Found[];
}

/** What nearly all requests reach: nothing. */
export const NOTHING_REACHED: Reach = {
  owned: [],
  work: [],
  unpriced: [],
  models: [],
  mentions: [],
  locations: [],
};

/** A native request as it came. */
interface NativeBody {
  readonly format: NativeFormat;
  readonly body: JsonObject;
}

/** Finds what a request reaches, once for each format that it may be sent in, and only when asked. */
export class RequestReach {
  readonly #chat: JsonObject;
  readonly #native: NativeBody | undefined;
  #ofChat: Reach | undefined;
  #ofNative: Reach | undefined;

  /** `native`: the request as it came, if it is not a chat. */
  constructor(chat: JsonObject, native?: NativeBody) {
    this.#chat = chat;
    this.#native = native;
  }

  /** What the request reaches when it is sent in its own format, or as a chat. */
  sentAs(format: Format): Reach {
    const native = this.#native;
    if (format === native?.format) {
      this.#ofNative ??= reachOf(native.format, native.body, NATIVE_REQUESTS[native.format]);
      return this.#ofNative;
    }
    this.#ofChat ??= reachOf('chat', this.#chat, ANY_CHAT);
    return this.#ofChat;
  }

  /** The same request without what only the owner of a credential may ask of a host. */
  get withoutOwned(): Pick<RequestReach, 'sentAs'> {
    return { sentAs: (format) => ({ ...this.sentAs(format), owned: [], work: [], unpriced: [] }) };
  }
}

function reachOf(format: Format, sent: JsonObject, shape: AllowedShape): Reach {
  // A single tool is treated as a list of one by hosts that take it.
  const body = isObject(sent.tools) ? { ...sent, tools: [sent.tools] } : sent;
  const work = workIn(format, body);
  if (work.length === 0 && isPlain(body, shape)) return NOTHING_REACHED;
  const search = new Search();
  search.known(body, shape, '');
  return work.length === 0 && search.isEmpty ? NOTHING_REACHED : { ...foundBy(search), work };
}

function foundBy({ owned, unpriced, models, mentions, locations }: Search): Omit<Reach, 'work'> {
  return { owned, unpriced, models, mentions, locations };
}
