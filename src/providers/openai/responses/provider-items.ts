/**
 * The items of an answer that says more than a chat's message can: by tools that the host runs, in several messages, or in
 * phases. They are the `provider_blocks` of the message, with which a client that sends it back gives the model its own answer.
 */
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { checkCount, MAX_COLLECTED_CHARACTERS } from '../../common/answer-bounds.js';

/** Items that members of a chat's message represent. */
const TRANSLATED: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
]);

/** The member `provider_blocks`; empty if the message's other members say everything: one text, then calls. */
export function providerItems(items: readonly JsonObject[]): JsonObject {
  const messages = items.filter(isMessage);
  const isPhased = messages.some(({ phase }) => typeof phase === 'string');
  const isNative = items.some(({ type }) => !TRANSLATED.has(type));
  const isSaidLate = items.slice(items.findIndex(isCall)).some(isMessage) && items.some(isCall);
  const isMore = isNative || isPhased || isSaidLate || messages.length > 1;
  return isMore ? { provider_blocks: { format: REASONING_FORMAT.openai, blocks: items } } : {};
}

function isMessage({ type }: JsonObject): boolean {
  return type === 'message';
}

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Keeps the items of an answer. Throws `UpstreamFailure` `malformed` for more than an answer may have. */
export class ItemCollector {
  readonly #items: JsonObject[] = [];
  #characters = 0;

  add(item: JsonObject): void {
    this.#characters += charactersIn(item);
    checkCount(this.#characters, MAX_COLLECTED_CHARACTERS);
    this.#items.push(item);
  }

  get items(): readonly JsonObject[] {
    return this.#items;
  }
}

/** What a value takes: the characters of its texts and names, and one for everything else. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let characters = 1;
  for (const name in value) {
    characters += name.length + charactersIn((value as Readonly<Record<string, unknown>>)[name]);
  }
  return characters;
}
