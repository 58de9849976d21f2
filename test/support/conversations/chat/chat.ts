import { type Conversation, conversation } from '../conversation.js';
import { type Rng, rngOf } from '../rng.js';
import { CALL_ODDITIES } from './call-oddities.js';
import { CONTENT_ODDITIES } from './content-oddities.js';
import type { ChatDraft, Oddity } from './draft.js';
import { chatHistory } from './history.js';
import { MEMBERS, TOOL_ODDITIES } from './member-oddities.js';
import { TURN_ODDITIES } from './turn-oddities.js';

const ODDITIES: Readonly<Record<string, Oddity>> = {
  ...TURN_ODDITIES,
  ...CALL_ODDITIES,
  ...CONTENT_ODDITIES,
  ...TOOL_ODDITIES,
};

/** The names of everything that a generated chat may have. */
export const CHAT_ODDITIES: readonly string[] = [...Object.keys(ODDITIES), ...Object.keys(MEMBERS)];

/** How many chats are a jumble of oddities. */
const CHAOS = 0.15;

/**
 * What OpenAI's chat API takes (`ChatCompletionCreateParams` of the package `openai`), and what gateways in front of it
 * take beside it: mostly the history of an agent with one to three oddities, sometimes a jumble of them.
 */
export function chatConversation(seed: number, model = 'model'): Conversation {
  const rng = rngOf(seed);
  const draft = chatHistory(rng);
  const isChaos = rng.chance(CHAOS);
  const odd = applied(draft, rng, ODDITIES, isChaos ? 5 + rng.below(10) : 1 + rng.below(3));
  const members = applied(draft, rng, MEMBERS, isChaos ? 4 + rng.below(8) : rng.below(5));
  const { messages, tools } = draft;
  if (messages.length === 0) messages.push({ role: 'user', content: 'Hi' });
  return conversation(seed, { model, messages, ...(tools.length > 0 && { tools }), ...draft.members }, [
    ...odd,
    ...members,
  ]);
}

function applied(
  draft: ChatDraft,
  rng: Rng,
  table: Readonly<Record<string, Oddity>>,
  count: number,
): string[] {
  const names = rng.sample(Object.keys(table), count * 3);
  const done: string[] = [];
  for (const name of names) {
    if (done.length < count && table[name]?.(draft, rng)) done.push(name);
  }
  return done;
}
