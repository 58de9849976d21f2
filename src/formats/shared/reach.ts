import type { NativeFormat, ServedFormat } from '../../catalog/types.js';
import type { JsonObject } from '../chat/types.js';
import { type HostWork, hostWorkOf } from '../host-work.js';
import { isObject } from '../json.js';
import { ANY_CHAT } from './chat-members.js';
import { isPlain } from './plain.js';
import { type Found, Search } from './search.js';
import type { AllowedShape } from './shape.js';
import { NATIVE_REQUESTS } from './shapes-of-hosts.js';

/** What a request reaches beyond the model that it asks: data, of which routing judges what may be done. */
export interface Reach {
  /** Objects of whoever owns the credential. */
  readonly owned: readonly Found[];
  /** What the host does by itself. */
  readonly work: readonly HostWork[];
  /** Members and types that change what is answered, which nothing has a price for. */
  readonly unpriced: readonly Found[];
  /** Other models that may answer, as the host names them; each name once. */
  readonly models: readonly Found[];
  /** Texts in places that nobody knows, which may be the names of other models. */
  readonly mentions: readonly Found[];
  /** Where it may be worked on: values of `inference_geo`, and servers whose place nobody knows (null). */
  readonly places: readonly Found[];
}

/** What nearly all requests reach. */
export const NOTHING_REACHED: Reach = {
  owned: [],
  work: [],
  unpriced: [],
  models: [],
  mentions: [],
  places: [],
};

/** A request as it came. */
interface NativeBody {
  readonly format: NativeFormat;
  readonly body: JsonObject;
}

/** Reads what a request reaches, once in each form that it may be sent in and only when asked. */
export class RequestReach {
  readonly #chat: JsonObject;
  readonly #native: NativeBody | undefined;
  #ofChat: Reach | undefined;
  #ofNative: Reach | undefined;

  /** `native`: the request as it came, where that is no chat. */
  constructor(chat: JsonObject, native?: NativeBody) {
    this.#chat = chat;
    this.#native = native;
  }

  /** In the format that it came in, or as a chat. */
  sentAs(format: ServedFormat): Reach {
    const native = this.#native;
    if (format === native?.format) {
      this.#ofNative ??= reachOf(native.body, NATIVE_REQUESTS[native.format]);
      return this.#ofNative;
    }
    this.#ofChat ??= reachOf(this.#chat, ANY_CHAT);
    return this.#ofChat;
  }

  /** The same request without what only the owner of a credential may ask of a host. */
  get withoutOwned(): Pick<RequestReach, 'sentAs'> {
    return { sentAs: (format) => ({ ...this.sentAs(format), owned: [], work: [], unpriced: [] }) };
  }
}

function reachOf(sent: JsonObject, shape: AllowedShape): Reach {
  // A tool alone is one of a list to a host that takes it.
  const body = isObject(sent.tools) ? { ...sent, tools: [sent.tools] } : sent;
  const work = hostWorkOf(body);
  if (work.length === 0 && isPlain(body, shape)) return NOTHING_REACHED;
  const search = new Search();
  search.known(body, shape, '');
  return work.length === 0 && search.isEmpty ? NOTHING_REACHED : { ...foundBy(search), work };
}

function foundBy({ owned, unpriced, models, mentions, places }: Search): Omit<Reach, 'work'> {
  return { owned, unpriced, models, mentions, places };
}
