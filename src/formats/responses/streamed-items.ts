/** Items as streams tell them: what belongs to which. */
import { type JsonObject, textOf } from '../json.js';

/** What an event tells of an item that no event began. */
const TYPES: readonly (readonly [beginning: string, type: string])[] = [
  ['response.function_call_arguments.', 'function_call'],
  ['response.custom_tool_call_input.', 'custom_tool_call'],
  ['response.reasoning', 'reasoning'],
  ['response.output_text.', 'message'],
  ['response.refusal.', 'message'],
];

export function typeBy(eventType: unknown): string | undefined {
  return TYPES.find(([beginning]) => String(eventType).startsWith(beginning))?.[1];
}

/** An item as far as a stream has told it. */
export interface StreamedItem {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly call?: { readonly id: string | undefined } | undefined;
}

/**
 * Which of the streamed items each item of the whole response is; undefined for one that was not streamed. Hosts leave
 * reasoning out of either, order them otherwise and give them other ids, so that places tell nothing
 * (https://github.com/Wei-Shaw/sub2api/pull/5186, https://github.com/BerriAI/litellm/issues/41109, 2026-11-26): it is the one
 * with its id, else with the id of its call, else the first of its type that is left.
 */
export function streamedItems<Item extends StreamedItem>(
  streamed: readonly Item[],
  output: readonly JsonObject[],
): readonly (Item | undefined)[] {
  const left = new Set(streamed);
  const found: (Item | undefined)[] = output.map(() => undefined);
  const match = (
    nameOf: (one: Item) => string | undefined,
    nameIn: (item: JsonObject) => string | undefined,
  ): void => {
    const named = new Map<string, Item[]>();
    for (const one of left) {
      const name = nameOf(one);
      if (name === undefined) continue;
      const alike = named.get(name);
      if (alike === undefined) named.set(name, [one]);
      else alike.push(one);
    }
    for (const [at, item] of output.entries()) {
      if (found[at] !== undefined) continue;
      const one = named.get(nameIn(item) ?? '')?.shift();
      if (one === undefined) continue;
      found[at] = one;
      left.delete(one);
    }
  };
  match(
    ({ id }) => id,
    ({ id }) => textOf(id),
  );
  match(
    ({ call }) => call?.id,
    ({ call_id }) => textOf(call_id),
  );
  match(
    ({ type }) => type,
    ({ type }) => textOf(type),
  );
  return found;
}
