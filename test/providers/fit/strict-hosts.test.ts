import { describe, expect, it } from 'vitest';
import { chatConversation } from '../../support/conversations/chat/chat.js';
import { messagesConversation } from '../../support/conversations/messages/messages.js';
import {
  CHAT_LANES,
  type Lane,
  MESSAGES_LANES,
  NATIVE_LANES,
  type Outcome,
  OVER_RESPONSES_LANES,
  over,
} from './lanes.fixture.js';

/** Conversations a lane; `BYWAY_CONVERSATIONS` sets another number. */
const CONVERSATIONS = Number(process.env.BYWAY_CONVERSATIONS ?? 300);
const SEED = Number(process.env.BYWAY_CONVERSATION_SEED ?? 1);

const GENERATORS = { chat: chatConversation, messages: messagesConversation } as const;

/** At most so many of a lane's conversations may be such that no client could legally send them. */
const MAX_INVALID = 0.03;

/** How conversations may end: as they came, changed in a way that is told, or elsewhere. */
const GOOD: ReadonlySet<Outcome['kind']> = new Set(['fitted', 'adapted', 'not offered', 'invalid as sent']);

async function tally(lane: Lane, format: 'chat' | 'messages') {
  const counts: Partial<Record<Outcome['kind'], number>> = {};
  const reasons = new Map<string, number>();
  const found: string[] = [];
  for (let seed = SEED; seed < SEED + CONVERSATIONS; seed += 1) {
    const outcome = await over(lane, format, GENERATORS[format](seed), seed % 2 === 1);
    counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    if (!GOOD.has(outcome.kind) && 'why' in outcome)
      found.push(`seed ${seed}, ${outcome.kind}: ${outcome.why}`);
    else if ('why' in outcome) {
      const reason = `${outcome.kind}: ${outcome.why.replaceAll(/\[\d+\]/g, '[]').slice(0, 150)}`;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  return { counts, reasons, found };
}

const LANES: readonly (readonly [format: 'chat' | 'messages', lane: Lane])[] = [
  ...[
    ...CHAT_LANES,
    ...NATIVE_LANES.filter(({ name }) => name !== 'claude-bedrock'),
    ...OVER_RESPONSES_LANES,
  ].flatMap((lane) => [['chat', lane] as const, ['messages', lane] as const]),
  ...MESSAGES_LANES.map((lane) => ['messages', lane] as const),
];

describe('any conversation', () => {
  it.each(LANES.map(([format, lane]) => [format, lane.name, lane] as const))(
    `of the format %s is taken whole by %s, or the plan goes elsewhere (seeds from ${SEED})`,
    async (format, name, lane) => {
      const { counts, reasons, found } = await tally(lane, format);
      // What came of them, with BYWAY_CONVERSATIONS_SHOW=1.
      if (process.env.BYWAY_CONVERSATIONS_SHOW !== undefined)
        process.stdout.write(
          `${JSON.stringify({ lane: name, format, counts, reasons: Object.fromEntries(reasons) })}\n`,
        );
      expect(found).toEqual([]);
      expect(counts['invalid as sent'] ?? 0).toBeLessThanOrEqual(CONVERSATIONS * MAX_INVALID);
    },
    3_000_000,
  );
});
