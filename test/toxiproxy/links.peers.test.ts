import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanoUsd, usd } from '../support/exact-usd.js';
import { expectSettled } from '../support/money.js';
import { startPeer } from '../support/peer-process.js';
import {
  attempts,
  expectAnswerFrom,
  generation,
  type Heard,
  hear,
  MODES,
  type ProvidersGateway,
  startProviders,
  TOKEN_USD,
} from '../support/providers.js';
import { recordOf } from '../support/rest.js';
import { type Proxied, proxyTo, type Toxic } from './proxy.js';

/** Toxiproxy's executable, which `npm run toxiproxy` installs. */
const { TOXIPROXY } = process.env;

/** Of a stream that is damaged after its beginning. */
const WORDS = Array.from({ length: 400 }, (_, index) => ` wörd${index}`);
const TEXT = WORDS.join('');

/** Slow links, on which nothing is lost. */
const SLOW: readonly Toxic[] = [
  { type: 'latency', latency: 150, jitter: 50 },
  { type: 'bandwidth', rate: 4 },
  { type: 'slicer', average_size: 2, size_variation: 1, delay: 10 },
];

/** Links that break before the head of an answer has come. */
const BROKEN: readonly Toxic[] = [
  { type: 'reset_peer', timeout: 0 },
  { type: 'limit_data', bytes: 60 },
];

describe.runIf(TOXIPROXY !== undefined)('between the gateway and a provider', () => {
  let api: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    const args = (port: number) => ['-host', '127.0.0.1', '-port', String(port)];
    const peer = { command: TOXIPROXY ?? '', args, readyPath: '/version', startMs: 20_000 };
    api = await startPeer(peer, (end) => void ends.push(end));
  });
  afterAll(() => ends.forEach((end) => void end()));

  /** A gateway that reaches `alpha` through a proxy and `beta`, which is tried after it, without. */
  async function start(env: Readonly<Record<string, string>> = {}) {
    const proxies: Proxied[] = [];
    const gateway = await startProviders('shared capacity', { env }, async ({ baseUrl }) => {
      const { origin, pathname } = new URL(baseUrl);
      const proxy = await proxyTo(api, randomUUID(), origin);
      proxies.push(proxy);
      return `${proxy.origin}${pathname}`;
    });
    const [link] = proxies;
    if (link === undefined) throw new Error('there is no proxy');
    return { gateway, link };
  }

  /** Nothing stays reserved, and all that was charged is what the one answer cost. */
  async function expectCharged(gateway: ProvidersGateway, heard: Heard, nano: bigint): Promise<void> {
    expect(await generation(gateway, heard)).toMatchObject({ usage: usd(nano) });
    expect(recordOf(await gateway.manage('GET', '/credits'))).toMatchObject({ total_usage: usd(nano) });
    await expectSettled(gateway);
  }

  const costAt = (provider: keyof typeof TOKEN_USD, tokens: number) =>
    nanoUsd([[tokens, String(TOKEN_USD[provider])]]);

  describe.each(MODES)('for a chat %s', (mode) => {
    it.each(SLOW)('$type: the answer is whole, by the first attempt', async (toxic) => {
      const { gateway, link } = await start();
      await link.poison(toxic);
      const heard = await gateway.ask(mode);
      expectAnswerFrom(heard, 'alpha');
      await expectCharged(gateway, heard, costAt('alpha', 4));
    });

    it('slow and in pieces on the way out: the request arrives whole', async () => {
      const { gateway, link } = await start();
      await link.poison({ type: 'slicer', average_size: 300, size_variation: 200, delay: 10 }, 'upstream');
      await link.poison({ type: 'bandwidth', rate: 200 }, 'upstream');
      const content = 'Grüezi 👋🏽 '.repeat(2000);
      expectAnswerFrom(await gateway.ask(mode, { messages: [{ role: 'user', content }] }), 'alpha');
      expect(gateway.alpha.requests.at(-1)?.body.messages).toEqual([{ role: 'user', content }]);
    });

    it.each(BROKEN)('$type before the head: the next attempt answers, alone charged', async (toxic) => {
      const { gateway, link } = await start();
      await link.poison(toxic);
      const heard = await gateway.ask(mode);
      expectAnswerFrom(heard, 'beta');
      expect(await attempts(gateway, heard)).toEqual(['alpha null reset', 'beta 200 null']);
      await expectCharged(gateway, heard, costAt('beta', 4));
    });

    it('refused connections: the next attempt answers, and the first again once it is back', async () => {
      const { gateway, link } = await start();
      await link.enable(false);
      const heard = await gateway.ask(mode);
      expectAnswerFrom(heard, 'beta');
      expect(await attempts(gateway, heard)).toEqual(['alpha null connect', 'beta 200 null']);
      await link.enable(true);
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
    });

    it('a connection that was kept and is dead by now costs no request', async () => {
      const { gateway, link } = await start();
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
      await link.enable(false);
      await link.enable(true);
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
      expect(gateway.beta.requests).toEqual([]);
    });
  });

  it('limit_data in an answer in one piece: the next attempt answers, alone charged', async () => {
    const { gateway, link } = await start();
    gateway.alpha.plan('m', { words: WORDS });
    await link.poison({ type: 'limit_data', bytes: 900 });
    const heard = await gateway.ask('in one piece');
    expectAnswerFrom(heard, 'beta');
    expect(await attempts(gateway, heard)).toEqual(['alpha 200 reset', 'beta 200 null']);
    await expectCharged(gateway, heard, costAt('beta', 4));
  });

  it('limit_data in a stream: what came, then an error, and what came is charged', async () => {
    const { gateway, link } = await start();
    gateway.alpha.plan('m', { words: WORDS });
    await link.poison({ type: 'limit_data', bytes: 6000 });
    await expectCutOff(gateway, await gateway.ask('streamed'), 'reset');
  });

  it('timeout before the first byte of a stream: the next attempt answers', async () => {
    const { gateway, link } = await start({ BYWAY_FIRST_BYTE_TIMEOUT_MS: '500' });
    await link.poison({ type: 'timeout', timeout: 0 });
    const heard = await gateway.ask('streamed');
    expectAnswerFrom(heard, 'beta');
    expect(await attempts(gateway, heard)).toEqual(['alpha null timeout', 'beta 200 null']);
    await expectCharged(gateway, heard, costAt('beta', 4));
  });

  it.each<[string, Toxic]>([
    ['reset', { type: 'reset_peer', timeout: 0 }],
    ['timeout', { type: 'timeout', timeout: 0 }],
  ])('%s in a stream: what came, then an error, and what came is charged', async (error, toxic) => {
    const { gateway, link } = await start({ BYWAY_IDLE_TIMEOUT_MS: '600' });
    gateway.alpha.plan('m', { words: WORDS, paceMs: 5 });
    await expectCutOff(gateway, await poisonedMeanwhile(gateway, link, toxic), error);
  });

  it('timeout in an answer in one piece: 502 once the total time is up, for nothing', async () => {
    const { gateway, link } = await start({ BYWAY_TOTAL_TIMEOUT_MS: '800' });
    await link.poison({ type: 'timeout', timeout: 0 });
    const heard = await gateway.ask('in one piece');
    expect(heard).toMatchObject({ status: 502, error: { message: expect.stringContaining('800 ms') } });
    await expectCharged(gateway, heard, 0n);
  });

  /** Reads a stream whose link is damaged once something has come. */
  async function poisonedMeanwhile(
    { rest, apiKey }: ProvidersGateway,
    link: Proxied,
    toxic: Toxic,
  ): Promise<Heard> {
    const messages = [{ role: 'user', content: 'Hello there' }];
    const answer = await fetch(`${rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/m', messages, stream: true }),
    });
    let text = '';
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const isFirst = text === '';
      text += piece;
      if (isFirst) await link.poison(toxic);
    }
    const headers = Object.fromEntries(answer.headers);
    return hear({ status: answer.status, headers, text, bytes: Buffer.from(text) });
  }

  async function expectCutOff(gateway: ProvidersGateway, heard: Heard, error: string): Promise<void> {
    expect(heard).toMatchObject({ status: 200, isDone: false, error: { code: 502 } });
    expect(heard.content.length).toBeGreaterThan(0);
    expect(TEXT.startsWith(heard.content)).toBe(true);
    expect(await attempts(gateway, heard)).toEqual([`alpha 200 ${error}`]);
    expect(gateway.beta.requests).toEqual([]);
    const { tokens_completion } = await generation(gateway, heard);
    // Four characters are a token.
    expect(tokens_completion).toBe(Math.ceil(heard.content.length / 4));
    await expectCharged(gateway, heard, costAt('alpha', Number(tokens_completion)));
  }
});
