import { describe, expect, it } from 'vitest';
import { BATCH_ANSWERS } from '../endpoint/platforms/planted.js';
import { valuesOf } from '../support/dump.js';
import { PRIVATE_KEY_PEM } from '../support/fakes/fake-vertex/account.js';
import { recordOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, GEMINI, request, startBatchWorld } from './world.js';

const [, LINE = ''] = PRIVATE_KEY_PEM.split('\n');

/** Secrets that must not appear anywhere: a line of the key, and the fake's first access token, which all calls use. */
const SECRETS = [LINE, 'ya29.c.google-1-0123456789'];

const SPELLED = SECRETS.flatMap((secret) => [
  secret,
  btoa(`x${secret}`),
  Buffer.from(secret).toString('hex'),
]);

const SECRET_TEXT = SPELLED.join(' ');

async function startStored(): Promise<BatchWorld> {
  const world = await startBatchWorld();
  await world.store();
  return world;
}

/** Every answer of the gateway to the batch's owner, and everything that it has stored and logged. */
async function everything({ manage, gateway }: BatchWorld, id: unknown): Promise<string> {
  const paths = [`/batches/${id}`, '/batches', `/batches/${id}/results`, '/generations', '/activity'];
  const answers = await Promise.all(paths.map((path) => manage('GET', path)));
  const texts = answers.map(({ text, headers }) => text + JSON.stringify(headers));
  return [...texts, ...gateway.log, ...(await valuesOf(gateway.gateway.database))].join('\n');
}

/** The spellings of which 16 consecutive characters are in the text. */
function leaksIn(text: string): string[] {
  return SPELLED.filter((form) =>
    Array.from({ length: form.length - 15 }, (_, at) => form.slice(at, at + 16)).some((piece) =>
      text.includes(piece),
    ),
  );
}

describe('a secret that the provider of a batch echoes is not shown, stored or logged', () => {
  it.each([
    ['gemini', GEMINI],
    ['claude', CLAUDE],
  ] as const)('in any member of a result of %s, or in the reason why there is none', async (kind, model) => {
    const world = await startStored();
    world.google.jobs.plan = {
      write(result, position) {
        const line = JSON.parse(result);
        if (position === 1)
          return JSON.stringify({ ...line, status: `Bad Request: ${SECRET_TEXT}`, response: {} });
        const response = BATCH_ANSWERS[kind]({ content: SECRET_TEXT, member: SECRET_TEXT });
        return JSON.stringify({ ...line, status: '', response, extra: SECRET_TEXT });
      },
    };
    const { id } = recordOf(await world.submit({ model, requests: [request('a'), request('b')] }));
    expect(await world.ended(id)).toMatchObject({ request_counts: { completed: 1, failed: 1 } });
    const text = await everything(world, id);
    expect(text).toContain('Well: [credential]');
    expect(text).toContain('"native_finish_reason":"[credential]');
    expect(text).toContain('Bad Request: [credential]');
    expect(leaksIn(text)).toEqual([]);
    expect(world.google.tokensGiven()).toBe(1);
  });

  it('in the reason why a job failed', async () => {
    const world = await startStored();
    world.google.jobs.plan = { looks: 1, state: 'JOB_STATE_FAILED', error: `It failed: ${SECRET_TEXT}` };
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('It failed: [credential]'),
    });
    expect(leaksIn(await everything(world, id))).toEqual([]);
  });

  it.each([/batchPredictionJobs/, /\/storage\//])('in the error of a call: %s', async (when) => {
    for (const status of [400, 403, 404, 500]) {
      const world = await startStored();
      const error = {
        code: status,
        message: `No: ${SECRET_TEXT}`,
        status: SECRET_TEXT,
        details: [{ reason: SECRET_TEXT }],
      };
      world.google.injectError({ when, status, times: 3, body: { error } });
      const answer = await world.submit();
      const listed = await world.manage('GET', '/batches');
      const stored = await valuesOf(world.gateway.gateway.database);
      const texts = [
        answer.text,
        JSON.stringify(answer.headers),
        listed.text,
        ...world.gateway.log,
        ...stored,
      ];
      expect(texts.join('\n')).toContain('No: [credential]');
      expect(leaksIn(texts.join('\n'))).toEqual([]);
    }
  });

  it('and the check would find it', () => {
    for (const form of SPELLED) expect(leaksIn(`x${form.slice(1, 17)}y`)).toContain(form);
  });
});
