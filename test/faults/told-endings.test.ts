import { describe, expect, it, vi } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import {
  bench,
  chatRequest,
  coveredReservation,
  drain,
  finish,
  scriptedAdapter,
  sharedAttempt,
  word,
} from '../support/chat.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { enveloped } from '../support/raw-rpc.js';
import { caller } from '../support/rest.js';

const AWAY = new Problem('database_unavailable', 'The database is unavailable');

const BODY = { stream: true, messages: [{ role: 'user', content: 'Hello there' }] };

async function brokenGateway(thrown: unknown): Promise<TestGateway> {
  const gateway = await startGateway();
  vi.spyOn(gateway.gateway.stores.generations, 'settle').mockRejectedValue(thrown);
  return gateway;
}

describe('a stream that has begun and can not be settled', () => {
  it.each([
    ['the database is away', AWAY, 503, 'The database is unavailable'],
    ['something else fails', new TypeError('a secret of ours'), 500, 'Internal server error'],
  ])('says so to chats where %s', async (_, thrown, code, message) => {
    const gateway = await brokenGateway(thrown);
    const answer = await caller(gateway, gateway.apiKey)('POST', '/chat/completions', {
      ...BODY,
      model: 'demo/echo',
    });
    expect(answer.status).toBe(200);
    const last = answer.text.trim().split('\n\n').at(-1) ?? '';
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
      error: { code, message },
    });
    expect(answer.text).not.toContain('[DONE]');
    expect(answer.text).not.toContain('secret');
  });

  it('says so in the words of Messages', async () => {
    const gateway = await brokenGateway(AWAY);
    const body = { ...BODY, model: 'demo/echo', max_tokens: 100 };
    const answer = await caller(gateway, gateway.apiKey)('POST', '/messages', body);
    const last = answer.text.trim().split('\n\n').at(-1) ?? '';
    expect(last).toMatch(/^event: error\ndata: \{"type":"error"/);
    expect(answer.text).not.toContain('message_stop');
  });

  it('says so by the status of an RPC', async () => {
    const gateway = await brokenGateway(AWAY);
    const answer = await fetch(`${gateway.url}/byway.v1.ChatService/StreamChatCompletion`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/connect+json',
        'connect-protocol-version': '1',
      },
      body: new Uint8Array(
        enveloped(
          Buffer.from(
            JSON.stringify({
              chat: { messages: [{ role: 'user', content: { text: 'Hello there' } }], model: 'demo/echo' },
            }),
          ),
        ),
      ),
    });
    expect(await answer.text()).toContain('"code":"unavailable"');
  });
});

describe('whatever ends a stream that has begun', () => {
  const failure = new UpstreamFailure('The connection was reset', { kind: 'upstream_error', error: 'reset' });
  const refuseToExtend = () => Promise.reject(AWAY);
  const refuseToSettle = { settle: () => Promise.reject(AWAY) };

  it.each([
    [
      'its end, which can not be settled',
      [word('a'), word('b'), finish()],
      { generations: refuseToSettle },
      503,
    ],
    ['the provider', [word('a'), failure], {}, 502],
    ['the provider, which can not be settled', [word('a'), failure], { generations: refuseToSettle }, 502],
    ['the provider, before it was complete', [word('a')], {}, 502],
    ['an error of the gateway', [word('a'), new TypeError('a bug')], {}, 502],
    ['a reservation that fails', [word('a'), word('b')], { extends: refuseToExtend }, 503],
  ] as const)('is told in the last chunk: %s', async (_, events, faults, code) => {
    const { adapter } = scriptedAdapter(events);
    const attempts = [sharedAttempt('echo')];
    const reservation = {
      ...coveredReservation(attempts),
      ...('extends' in faults && { covers: () => false, extend: faults.extends }),
    };
    const { chat } = bench(attempts, {
      adapters: new Map([['demo', adapter]]),
      admit: async () => reservation,
      ...('generations' in faults && { generations: faults.generations }),
    });
    const { chunks, thrown } = await drain(chat.stream(chatRequest({ stream: true })));
    expect(thrown).toBeInstanceOf(Error);
    expect(chunks.at(-1)).toMatchObject({ error: { code } });
  });
});
