import { describe, expect, it } from 'vitest';
import { type Answer, type Row, recordOf } from '../../support/rest.js';
import { CLAUDE, HELLO, startMessages } from './messages.fixture.js';

type Started = Awaited<ReturnType<typeof startMessages>>;

async function told({ use }: Started, { headers }: Answer) {
  const record = recordOf(await use('GET', `/generation?id=${headers['x-generation-id']}`));
  const adapted = (record.provider_responses as Row[]).at(-1)?.adapted;
  return { lane: record.lane, header: headers['x-byway-adapted'] ?? null, adapted, omitted: record.omitted };
}

describe.each([false, true])(
  'what is sent otherwise than a Messages client has said it, stream %j',
  (stream) => {
    it('is told by the format’s own names where the request is translated', async () => {
      const started = await startMessages();
      const body = {
        ...HELLO,
        model: 'demo/echo',
        stream,
        max_tokens: 9_000_000,
        context_management: { edits: [] },
      };
      const answer = await started.use('POST', '/messages', body);
      expect([answer.status, await told(started, answer)]).toEqual([
        200,
        {
          lane: 'translated',
          header: 'context_management, max_tokens',
          adapted: ['context_management', 'max_tokens'],
          omitted: ['context_management'],
        },
      ]);
    });

    it('is told where it is learned from a refusal of the native request, and nothing where there is none', async () => {
      const started = await startMessages();
      const nothing = { lane: 'native', header: null, adapted: null, omitted: [] };
      const plain = await started.use('POST', '/messages', { ...HELLO, model: CLAUDE, stream });
      expect([plain.status, await told(started, plain)]).toEqual([200, nothing]);
      // Of Anthropic's API since this version, which takes none.
      const headers = { 'anthropic-version': '2026-10-21' };
      for (let count = 0; count < 2; count++) {
        const asked = { ...HELLO, model: CLAUDE, stream, temperature: 0.5 };
        const answer = await started.use('POST', '/messages', asked, headers);
        expect([answer.status, await told(started, answer)]).toEqual([
          200,
          {
            lane: 'native',
            header: 'temperature',
            adapted: ['temperature'],
            omitted: ['temperature'],
          },
        ]);
      }
    });
  },
);
