import { type Conversation, conversation } from '../conversation.js';
import { type Rng, rngOf } from '../rng.js';
import type { Oddity, ResponsesDraft } from './draft.js';
import { responsesHistory } from './history.js';
import { ITEM_ODDITIES, MEMBER_ODDITIES } from './oddities.js';

/** How many requests are a jumble of oddities. */
const CHAOS = 0.15;

/**
 * What OpenAI's Responses API takes (`ResponseCreateParams` of the package `openai`), and what clients and gateways send there:
 * mostly the history of an agent with one to three oddities, sometimes a jumble of them.
 */
export function responsesConversation(seed: number, model = 'model'): Conversation {
  const rng = rngOf(seed);
  const draft = responsesHistory(rng);
  const isChaos = rng.chance(CHAOS);
  const odd = applied(draft, rng, ITEM_ODDITIES, isChaos ? 5 + rng.below(8) : 1 + rng.below(3));
  const members = applied(draft, rng, MEMBER_ODDITIES, isChaos ? 3 + rng.below(5) : rng.below(4));
  const { input, tools } = draft;
  const body = { model, input, ...(tools.length > 0 && { tools }), ...draft.members };
  return conversation(seed, body, [...odd, ...members]);
}

function applied(
  draft: ResponsesDraft,
  rng: Rng,
  table: Readonly<Record<string, Oddity>>,
  count: number,
): string[] {
  const done: string[] = [];
  for (const name of rng.sample(Object.keys(table), count * 3)) {
    if (done.length < count && table[name]?.(draft, rng)) done.push(name);
  }
  return done;
}
