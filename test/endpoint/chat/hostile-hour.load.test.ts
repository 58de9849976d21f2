import { expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { forAccount } from '../../support/money.js';
import { generation, MODES, startProviders } from '../../support/providers.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { DEEDS, MEMBERS, plansFor } from './hostile-deeds.js';

const START = Date.UTC(2026, 0, 5);
const MINUTES = 60;

/** An hour of an ordinary account, beside so many hostile ones that do something every minute. */
async function hourBeside(hostiles: number) {
  const clock = clockAt(START);
  const gateway = await startProviders('shared capacity', { clock });
  const accounts = [];
  for (let n = 0; n < hostiles; n++) accounts.push(forAccount(gateway, await gateway.addAccount()));
  let deeds = 0;
  const heard: unknown[] = [];
  const sent: unknown[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    for (const account of accounts) {
      const { asks, answers } = DEEDS[minute % DEEDS.length] ?? { asks: {}, answers: [] };
      for (const answer of answers) {
        gateway.alpha.plan('m', ...plansFor(answer));
        await account.chat('test/m', asks);
        deeds += 1;
      }
      gateway.alpha.plan('m');
    }
    const before = gateway.alpha.requests.length;
    for (const mode of MODES) {
      const { id, status, provider, content, usage, headers } = await gateway.ask(mode, MEMBERS);
      const record = await generation(gateway, { id });
      const adapted = (record.provider_responses as Row[]).map((one) => one.adapted);
      const told = headers['x-byway-adapted'] ?? null;
      heard.push({
        status,
        provider,
        content,
        usage,
        adapted,
        told,
        charged: record.usage,
        why: record.excluded_counts,
      });
    }
    sent.push(...gateway.alpha.requests.slice(before).map(({ text }) => JSON.parse(text)));
    clock.advance(60_000);
  }
  const { data: credits } = bodyOf(await gateway.manage('GET', '/credits'));
  const { data: models } = bodyOf(await gateway.use('GET', '/models'));
  return { deeds, outcome: { heard, sent, credits, models } };
}

it('an ordinary account’s hour is the same beside two hostile ones as alone: what is sent, where, and what it costs', async () => {
  const alone = await hourBeside(0);
  const beside = await hourBeside(2);
  const requests = alone.outcome.heard.length;
  const differing = alone.outcome.heard.filter(
    (one, index) => JSON.stringify(one) !== JSON.stringify(beside.outcome.heard[index]),
  );
  process.stdout.write(
    `${beside.deeds} hostile requests, ${requests} ordinary ones: ${differing.length} of these differ\n`,
  );
  expect([requests, alone.deeds, beside.deeds > 100]).toEqual([2 * MINUTES, 0, true]);
  expect(beside.outcome).toEqual(alone.outcome);
}, 120_000);
