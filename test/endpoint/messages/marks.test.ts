import { describe, expect, it } from 'vitest';
import { AccountHmacKeys } from '../../../src/byok/vault/account-hmac-keys.js';
import { createVault } from '../../../src/byok/vault/vault.js';
import { detailsJsonIn } from '../../../src/formats/marks.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, rowsOf } from '../../support/rest.js';
import { eventsIn } from './messages.fixture.js';

const PRICES = { prompt: '0.000001', completion: '0.000001' };
const MODEL = 'test/reasoner';

async function start(credits = 10n ** 10n) {
  const gateway = await startGateway({
    credits,
    catalog: {
      providers: [demoProvider('demo')],
      models: [demoModel(MODEL, [{ provider: 'demo', upstream_model_id: 'reasoner', pricing: PRICES }])],
    },
  });
  return { gateway, ...clientOf(gateway, gateway) };
}

type Keys = { readonly apiKey: string; readonly managementKey: string };

function clientOf(gateway: { readonly rest: string }, { apiKey, managementKey }: Keys) {
  const manage = caller(gateway, managementKey);
  const use = caller(gateway, apiKey);
  const ask = (messages: readonly object[], more: object = {}) =>
    use('POST', '/messages', {
      model: MODEL,
      max_tokens: 500,
      thinking: { type: 'adaptive', display: 'omitted' },
      messages,
      ...more,
    });
  const omitted = async () => rowsOf(await manage('GET', '/generations'))[0]?.omitted;
  return { ask, omitted };
}

const asked = { role: 'user', content: 'Think!' };
const answered = (...content: readonly object[]) => [asked, { role: 'assistant', content }, asked];
const text = { type: 'text', text: 'Hi' };

/** A thought of the account whose text the client is not shown. */
async function thoughtOf({ ask }: Pick<Awaited<ReturnType<typeof start>>, 'ask'>): Promise<Row> {
  const [thought] = bodyOf(await ask([asked])).content as Row[];
  expect(thought).toMatchObject({
    type: 'thinking',
    thinking: '',
    signature: expect.stringMatching(/^bw2\./),
  });
  return thought ?? {};
}

describe('a thought that is sent back', () => {
  it('is read where its account sends it, streamed or not', async () => {
    const client = await start();
    const thought = await thoughtOf(client);
    expect((await client.ask(answered(thought, text))).status).toBe(200);
    expect(await client.omitted()).not.toContain('reasoning');
    const streamed = await client.ask(answered(thought, text), { stream: true });
    expect(eventsIn(streamed.text).at(-1)).toMatchObject({ type: 'message_stop' });
    expect(await client.omitted()).not.toContain('reasoning');
  });

  it('is dropped where another account sends it, and named, streamed or not', async () => {
    const client = await start();
    const thought = await thoughtOf(client);
    const other = clientOf(client.gateway, await client.gateway.addAccount());
    for (const more of [{}, { stream: true }]) {
      expect((await other.ask(answered(thought, text), more)).status).toBe(200);
      expect(await other.omitted()).toContain('reasoning');
    }
  });

  it.each(['bw1.W10', 'bw2.', 'bw2.AAAA.W10', `bw1.${'A'.repeat(300_000)}`, `bw2.${'A'.repeat(300_000)}`])(
    '%#: not made here, is dropped, and named, whatever the form of its block',
    async (mark) => {
      const { ask, omitted } = await start();
      const blocks = [
        { type: 'thinking', thinking: '', signature: mark },
        { type: 'redacted_thinking', data: mark },
      ];
      for (const block of blocks) {
        expect((await ask(answered(block, text))).status).toBe(200);
        expect(await omitted()).toContain('reasoning');
      }
    },
  );

  it('is still read by the process that starts on the same database after this one', async () => {
    const client = await start();
    const thought = await thoughtOf(client);
    const { gateway } = client;
    const { stores, masterKeys } = gateway.gateway;
    const later = new AccountHmacKeys({
      store: stores.accountHmacKeys,
      vault: createVault(masterKeys.keys),
      report: () => undefined,
    });
    const signer = await later.signerOf(gateway.accountId);
    expect(signer && detailsJsonIn(String(thought.signature), signer)).toContain('reasoning.text');
  });
});

describe('an account that can’t pay', () => {
  it('has nothing of its marks read: a megabyte of them is refused for the credits alone', async () => {
    const { ask } = await start(0n);
    const crowd = `bw1.${Buffer.from(`[${'{},'.repeat(250_000)}{}]`).toString('base64url')}`;
    const answer = await ask(answered({ type: 'thinking', thinking: '', signature: crowd }, text));
    expect(answer.status).toBe(402);
    expect(bodyOf(answer).error).toMatchObject({ metadata: { reason: 'insufficient_credits' } });
  });
});
