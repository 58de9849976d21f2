import { describe, expect, it } from 'vitest';
import { chatConversation } from '../../support/conversations/chat/chat.js';
import { messagesConversation } from '../../support/conversations/messages/messages.js';
import { CHAT_LANES, type Lane, MESSAGES_LANES, NATIVE_LANES, type Outcome, over } from './lanes.fixture.js';

/** Conversations a lane; `BYWAY_CONVERSATIONS` sets another number. */
const CONVERSATIONS = Number(process.env.BYWAY_CONVERSATIONS ?? 300);
const SEED = Number(process.env.BYWAY_CONVERSATION_SEED ?? 1);

const GENERATORS = { chat: chatConversation, messages: messagesConversation } as const;

async function tally(lane: Lane, format: 'chat' | 'messages') {
  const counts = new Map<Outcome['kind'], number>();
  const found: string[] = [];
  for (let seed = SEED; seed < SEED + CONVERSATIONS; seed += 1) {
    const outcome = await over(lane, format, GENERATORS[format](seed), seed % 2 === 1);
    counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1);
    if (process.env.BYWAY_CONVERSATIONS_SHOW !== undefined && 'why' in outcome)
      found.push(`${outcome.kind}: ${outcome.why}`);
    else if (outcome.kind === 'lost' || outcome.kind === 'refused by the host')
      found.push(`seed ${seed}, ${outcome.kind}: ${outcome.why}`);
  }
  return { counts: Object.fromEntries(counts), found };
}

const LANES: readonly (readonly [format: 'chat' | 'messages', lane: Lane])[] = [
  ...[...CHAT_LANES, ...NATIVE_LANES.filter(({ name }) => name !== 'claude-bedrock')].flatMap((lane) => [
    ['chat', lane] as const,
    ['messages', lane] as const,
  ]),
  ...MESSAGES_LANES.map((lane) => ['messages', lane] as const),
];

describe('any conversation', () => {
  it.each(LANES.map(([format, lane]) => [format, lane.name, lane] as const))(
    `of the format %s is taken whole by %s, or refused before it is sent (seeds from ${SEED})`,
    async (format, _, lane) => {
      const { found } = await tally(lane, format);
      expect(found).toEqual([]);
    },
    600_000,
  );
});
