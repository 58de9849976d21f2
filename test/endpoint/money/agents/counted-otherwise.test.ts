import { expect, it } from 'vitest';
import type { ChatCall } from '../../../support/fakes/fake-openai/plan.js';
import { setLimit } from '../../../support/limits.js';
import { expectSettled } from '../../../support/money.js';
import { spentUsd, startAgents, together } from './agents.js';

const AT_ONCE = 40;
const LIMIT_USD = 0.5;

/** What a host counts of a chat whose texts it writes in its own way first: each byte is a token. */
const counting = (textOf: (call: ChatCall) => string) => (call: ChatCall) => ({
  usage: { prompt_tokens: Buffer.byteLength(textOf(call)), completion_tokens: 10 },
  delayMs: 50,
});

const saidIn = ({ messages = [] }: ChatCall) => messages.map(({ content }) => String(content)).join('');
const LIGATURE = '\ufdfa'.repeat(2_000);
const user = (content: string) => ({ role: 'user', content });
const read = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
const called = { role: 'assistant', content: null, tool_calls: [read] };

it.each<[string, (call: ChatCall) => string, object]>([
  ['characters that grow in NFKC', (call) => saidIn(call).normalize('NFKC'), { messages: [user(LIGATURE)] }],
  [
    'control characters in results of tools, which grow in JSON',
    (call) => JSON.stringify(saidIn(call)),
    {
      messages: [user('Read'), called, { role: 'tool', tool_call_id: 'a', content: '\u0001'.repeat(5_000) }],
    },
  ],
])('40 calls at once overspend a limit by one at most: %s', async (_, textOf, call) => {
  const gateway = await startAgents({ env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
  gateway.host.plan('opus', counting(textOf));
  await setLimit(gateway, { limit: LIMIT_USD });
  const answers = await together(AT_ONCE, () => gateway.chat('test/opus', { max_tokens: 10, ...call }));
  const [served] = answers.filter(({ status }) => status === 200);
  if (served === undefined) throw new Error('none was served');
  const { usage } = JSON.parse(served.text) as { usage: { cost: number } };
  expect(usage.cost).toBeGreaterThan(0.05);
  expect(answers.map(({ status }) => status)).toContain(429);
  expect(await spentUsd(gateway)).toBeLessThan(LIMIT_USD + usage.cost);
  await expectSettled(gateway);
});
