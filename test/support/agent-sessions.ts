/** Many agents at once, turn by turn, over keys of one provider: what its caches find. */
import { demoModel } from './catalog.js';
import { clockAt } from './clock.js';
import { type CachingHost, startCachingHost } from './fakes/caching-host.js';
import { startMoneyGateway } from './money.js';
import { caller, recordOf } from './rest.js';

const FREE = { prompt: '0', completion: '0' };

interface Play {
  readonly sessions: number;
  readonly turns: number;
  /** Whether the clients name their sessions. */
  readonly isNamed: boolean;
  readonly keys: number;
  /** Machines of each key's account. */
  readonly machines: number;
  /** Requests that each key may make in a minute. */
  readonly perMinute: number;
}

export interface Played {
  /** Of the requests that had turns before: those that found all of them in a cache. */
  readonly hits: number;
  /** Of the messages: those that were cached. */
  readonly cached: number;
  /** Of the answers: by key, the most first. */
  readonly shares: readonly number[];
  /** Refusals for a rate limit that the host has made. */
  readonly limited: number;
}

/** A turn a minute. Ends with the test. */
export async function playSessions({
  sessions,
  turns,
  isNamed,
  keys,
  machines,
  perMinute,
}: Play): Promise<Played> {
  const host = await startCachingHost({ machines, perRound: perMinute });
  const clock = clockAt('2026-01-05T00:00:00Z');
  const gateway = await startMoneyGateway({
    clock,
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: host.baseUrl }],
    models: [demoModel('test/agent', [{ provider: 'openai', upstream_model_id: 'gpt-5.2', pricing: FREE }])],
  });
  for (let index = 0; index < keys; index += 1) {
    const key = `sk-agents-${index}-0123456789abcdef`;
    recordOf(await gateway.manage('POST', '/byok', { provider: 'openai', key }));
  }
  const use = caller(gateway, gateway.apiKey);
  const talks = Array.from({ length: sessions }, (_, index) => [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: `Task ${index}` },
  ]);
  for (let turn = 0; turn < turns; turn += 1) {
    await Promise.all(
      inTurn(sessions, turn).map(async (index) => {
        const messages = talks[index] ?? [];
        const headers = isNamed ? { 'x-session-id': `session-${index}` } : {};
        const answer = await use('POST', '/chat/completions', { model: 'test/agent', messages }, headers);
        if (answer.status !== 200) throw new Error(answer.text);
        messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: `Step ${turn}` });
      }),
    );
    host.nextRound();
    clock.advance(60_000);
  }
  return played(host);
}

/** The sessions in the order in which they ask, another in each turn. */
function inTurn(sessions: number, turn: number): number[] {
  const place = (index: number) => Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(turn + 1, 0x85ebca6b);
  const mixed = (index: number) => Math.imul(place(index) ^ (place(index) >>> 15), 0x2c1b3c6d) >>> 0;
  return Array.from({ length: sessions }, (_, index) => index).sort((a, b) => mixed(a) - mixed(b));
}

function played({ counts }: CachingHost): Played {
  const all = [...counts.values()];
  const sum = (count: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one) => total + count(one), 0);
  const answered = sum((one) => one.answered);
  return {
    hits: sum((one) => one.hits) / sum((one) => one.later),
    cached: sum((one) => one.cached) / sum((one) => one.messages),
    shares: all.map((one) => one.answered / answered).sort((a, b) => b - a),
    limited: sum((one) => one.limited),
  };
}
