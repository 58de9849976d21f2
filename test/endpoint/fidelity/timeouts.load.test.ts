import { describe, expect, it } from 'vitest';
import { FAILURES_TO_COOL } from '../../../src/routing/health/failure-record.js';
import { attempts, CONTENT, expectAnswerFrom, startProviders } from '../../support/providers.js';

const SHORT_MS = '400';

describe('F20: the time of an answer in one piece', () => {
  it('is the total timeout, however long the provider sends nothing', async () => {
    const gateway = await startProviders('shared capacity', {
      env: {
        BYWAY_FIRST_BYTE_TIMEOUT_MS: SHORT_MS,
        BYWAY_FIRST_TOKEN_TIMEOUT_MS: SHORT_MS,
        BYWAY_IDLE_TIMEOUT_MS: SHORT_MS,
      },
    });
    gateway.alpha.plan('m', { delayMs: 1_000 });
    expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
  });

  it('is tightened by `total` of a request, not by what it says of streams', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { delayMs: 1_000 });
    const provider = { timeouts_ms: { first_byte: 200, first_token: 200, idle: 200 } };
    expectAnswerFrom(await gateway.ask('in one piece', { provider }), 'alpha');
    const late = await gateway.ask('in one piece', { provider: { timeouts_ms: { total: 200 } } });
    expect(late).toMatchObject({ status: 502, error: { message: expect.stringContaining('200 ms') } });
  });

  it('counts against an endpoint that used up all of the operator’s, which is tried last from then on', async () => {
    const gateway = await startProviders('shared capacity', { env: { BYWAY_TOTAL_TIMEOUT_MS: '500' } });
    gateway.alpha.plan('m', { delayMs: 60_000 });
    for (let request = 0; request < FAILURES_TO_COOL; request += 1) {
      expect((await gateway.ask('in one piece')).status).toBe(502);
    }
    const explained = await gateway.use('POST', '/routing/explain', { model: 'test/m' });
    expect(explained.text).toContain('cooling');
  });

  it('a stream still fails over after the first byte’s timeout', async () => {
    const gateway = await startProviders('shared capacity', {
      env: { BYWAY_FIRST_BYTE_TIMEOUT_MS: SHORT_MS },
    });
    gateway.alpha.plan('m', { delayMs: 60_000 });
    const heard = await gateway.ask('streamed');
    expectAnswerFrom(heard, 'beta');
    expect(await attempts(gateway, heard)).toEqual(['alpha null timeout', 'beta 200 null']);
  });
});

describe('F11: a stream that sends nothing but keep-alives', () => {
  it('is not idle while bytes come, and is answered to its end', async () => {
    const gateway = await startProviders('BYOK keys', { env: { BYWAY_IDLE_TIMEOUT_MS: SHORT_MS } });
    gateway.alpha.plan('m', { paceMs: 60, keepAlives: 20 });
    const heard = await gateway.ask('streamed');
    expect(heard).toMatchObject({ error: null, content: CONTENT, isDone: true });
  });

  it('has no first token: the next attempt takes over although bytes come', async () => {
    const gateway = await startProviders('shared capacity', {
      env: { BYWAY_FIRST_TOKEN_TIMEOUT_MS: SHORT_MS },
    });
    gateway.alpha.plan('m', { paceMs: 60, chunks: Array(100).fill({ choices: [] }) });
    expectAnswerFrom(await gateway.ask('streamed'), 'beta');
  });

  it('may not stay open after its choices are finished, whatever it sends', async () => {
    const gateway = await startProviders('shared capacity');
    const finished = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
    gateway.alpha.plan('m', { paceMs: 300, chunks: [finished, ...Array(200).fill({ choices: [] })] });
    expect(await gateway.ask('streamed')).toMatchObject({ error: null, content: 'Hi', isDone: true });
  }, 30_000);
});
