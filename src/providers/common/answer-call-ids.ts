import { type Ids, systemIds } from '../../base/ids.js';
import type { ChatMessage } from '../../formats/chat/types.js';
import { plainCallId } from './call-id.js';

/** Random bytes of an id that the gateway makes. */
const OWN_BYTES = 12;

/**
 * The ids of the calls in one answer. No two are the same, also in the characters of the strictest host, nor is one the id
 * of an earlier call in the conversation: clients, agents and other hosts find a call's result by its id.
 */
export class AnswerCallIds {
  readonly #earlier: readonly ChatMessage[];
  readonly #ids: Pick<Ids, 'hex'>;
  #taken: Set<string> | undefined;

  /** `earlier`: the conversation that is answered. */
  constructor(earlier: readonly ChatMessage[] = [], ids: Pick<Ids, 'hex'> = systemIds) {
    this.#earlier = earlier;
    this.#ids = ids;
  }

  /** The host's own id where it is free; else a new one of at most 40 letters, digits and `_`. */
  next(given: string | undefined): string {
    this.#taken ??= idsIn(this.#earlier);
    const isFree = given !== undefined && !this.#taken.has(plainCallId(given));
    const id = isFree ? given : `call_${this.#ids.hex(OWN_BYTES)}`;
    this.#taken.add(plainCallId(id));
    return id;
  }
}

function idsIn(messages: readonly ChatMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { tool_calls } of messages) {
    if (Array.isArray(tool_calls)) for (const call of tool_calls) ids.add(plainCallId(call?.id));
  }
  return ids;
}
