import { type Conversation, conversation } from '../conversation.js';
import { type Rng, rngOf } from '../rng.js';
import { CONTENT_ODDITIES } from './content-oddities.js';
import type { MessagesDraft, Oddity } from './draft.js';
import { messagesHistory } from './history.js';
import { MEMBERS, TOOL_ODDITIES } from './member-oddities.js';
import { TURN_ODDITIES } from './turn-oddities.js';

const ODDITIES: Readonly<Record<string, Oddity>> = {
  ...TURN_ODDITIES,
  ...CONTENT_ODDITIES,
  ...TOOL_ODDITIES,
};

/** The names of everything that a generated request may have. */
export const MESSAGES_ODDITIES: readonly string[] = [...Object.keys(ODDITIES), ...Object.keys(MEMBERS)];

/** How many requests are a jumble of oddities. */
const CHAOS = 0.15;

/**
 * What Anthropic's Messages API takes (`MessageCreateParams` of the package `@anthropic-ai/sdk`, and of its beta), and what
 * clients of other models send there: mostly the history of an agent with one to three oddities, sometimes a jumble of them.
 */
export function messagesConversation(seed: number, model = 'model'): Conversation {
  const rng = rngOf(seed);
  const draft = messagesHistory(rng);
  const isChaos = rng.chance(CHAOS);
  const odd = applied(draft, rng, ODDITIES, isChaos ? 5 + rng.below(10) : 1 + rng.below(3));
  const members = applied(draft, rng, MEMBERS, isChaos ? 3 + rng.below(6) : rng.below(4));
  const { system, messages, tools } = draft;
  if (messages.length === 0) messages.push({ role: 'user', content: 'Hi' });
  const body = {
    model,
    ...(system !== undefined && { system }),
    messages,
    ...(tools.length > 0 && { tools }),
    ...draft.members,
  };
  return conversation(seed, body, [...odd, ...members], [...new Set(draft.betas)]);
}

function applied(
  draft: MessagesDraft,
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
