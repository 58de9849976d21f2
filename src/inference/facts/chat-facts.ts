import type { Endpoint } from '../../catalog/types.js';
import { RequestReach } from '../../formats/shared-capacity/reach.js';
import { RequestUses } from '../../formats/shared-capacity/uses.js';
import type { UsageBounds } from '../../ledger/pricing/possible-usage.js';
import { countMedia } from '../../routing/estimate/media-parts.js';
import { estimatePromptTokens, type NativePrompt } from '../../routing/estimate/prompt-tokens.js';
import { type RequestSize, requestSize } from '../../routing/estimate/request-size.js';
import { separatePrompts } from '../../routing/estimate/separate-prompts.js';
import { ChatRouteFacts } from '../../routing/router/request-facts.js';
import type { InferenceRequest, SentRequest } from '../ports/inference-request.js';
import type { RequestFacts } from '../ports/request-facts.js';
import type { ReasoningMembers } from '../reasoning/reasoning.js';
import { boundsOf, choicesOf } from './answer-bounds.js';

/** The facts of a request that is a chat, or is read as one. Each is computed when it is asked for. */
class ChatFacts extends ChatRouteFacts implements RequestFacts {
  readonly reach: RequestReach;
  readonly uses: RequestUses;
  readonly boundsAt: (endpoint: Endpoint) => UsageBounds;
  readonly #sent: SentRequest;
  readonly #native: NativePrompt | undefined;

  constructor(sent: SentRequest) {
    const { model = null, models = null } = sent.chat;
    const native = sent.format === 'chat' ? undefined : sent;
    super(sent.chat, { model, models }, native);
    this.#sent = sent;
    this.#native = native;
    this.reach = new RequestReach(sent.chat, native);
    this.uses = new RequestUses(sent.chat, native);
    this.boundsAt = boundsOf(sent);
  }

  size(isStreamed: boolean): RequestSize {
    const native = this.#native;
    return requestSize(this.#sent.chat, native === undefined ? { isStreamed } : { native, isStreamed });
  }

  promptTokens(): number {
    return separatePrompts(this.#native)?.likely ?? estimatePromptTokens(this.#sent.chat).likely;
  }

  searchUnits(): number {
    return separatePrompts(this.#native)?.searchUnits.likely ?? 0;
  }

  images(): number {
    return countMedia(this.#sent.chat).images;
  }

  get reasoning(): ReasoningMembers {
    return this.#sent.chat;
  }

  get choices(): number {
    return choicesOf(this.#sent);
  }

  get timeouts(): RequestFacts['timeouts'] {
    return this.#sent.chat.provider?.timeouts_ms;
  }

  get onDisconnect(): RequestFacts['onDisconnect'] {
    return this.#sent.chat.provider?.on_disconnect;
  }

  get mayAdapt(): boolean {
    return this.#sent.chat.provider?.adapt !== false;
  }
}

/** The content of a request, and the facts about it. */
export function saidBy(sent: SentRequest): Pick<InferenceRequest, 'sent' | 'facts'> {
  return { sent, facts: new ChatFacts(sent) };
}
