import { describe, expect, it } from 'vitest';
import { badRequest, CLAUDE, GEMINI, request, startBatchWorld } from '../../batch/world.js';
import { recordOf, rowsOf } from '../../support/rest.js';

describe('a batch', () => {
  it.each([GEMINI, CLAUDE])(
    'of %s runs from submission to results in the chat format, by custom_id',
    async (model) => {
      const { google, store, submit, ended, results, manage } = await startBatchWorld();
      await store({ region: 'europe-west4' });
      const names = ['first', 'second/2', 'Third one'];
      const answer = await submit({
        model,
        requests: names.map((name, n) => request(name, `Hello ${name}`, { max_tokens: 3 - n })),
      });
      expect(answer.status).toBe(201);
      const created = recordOf(answer);
      expect(created).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'queued',
        created_at: expect.stringMatching(/Z$/),
        request_counts: { total: 3, completed: 0, failed: 0 },
        provider_job: expect.stringMatching(
          /^projects\/\d+\/locations\/europe-west4\/batchPredictionJobs\/[\w-]+$/,
        ),
        input_uri: expect.stringMatching(/^gs:\/\/byway-batch-[0-9a-f]{20}-europe-west4\/.*\.jsonl$/),
        output_uri: expect.stringMatching(/^gs:\/\//),
        model,
        byok_key_id: expect.any(String),
        byok_key_name: expect.any(String),
        byok_key_deleted: false,
        api_key_name: null,
        api_key_deleted: false,
        api_key_hash: null,
        error: null,
      });
      expect(await ended(created.id)).toMatchObject({
        status: 'completed',
        request_counts: { total: 3, completed: 3, failed: 0 },
      });
      const rows = await results(created.id);
      expect(rows.map(({ custom_id }) => custom_id).sort()).toEqual([...names].sort());
      for (const row of rows) {
        expect(row).toMatchObject({
          response: {
            status_code: 200,
            body: {
              id: expect.stringMatching(/^gen-/),
              object: 'chat.completion',
              model,
              provider: 'google-vertex',
              choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: expect.any(String) }],
              usage: { is_byok: true, cost: 0 },
            },
          },
          error: null,
        });
      }
      expect(google.jobs.all).toHaveLength(1);
      expect(rowsOf(await manage('GET', '/batches'))).toMatchObject([
        { id: created.id, status: 'completed' },
      ]);
    },
  );

  it('reports why a request failed, and charges the others', async () => {
    const { store, submit, ended, results, google, manage } = await startBatchWorld();
    await store();
    google.jobs.plan = { missing: [3] };
    const requests = [request('a'), badRequest('b'), request('c'), request('lost')];
    const { id } = recordOf(await submit({ requests }));
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      request_counts: { total: 4, completed: 2, failed: 2 },
    });
    const byName = new Map((await results(id)).map((row) => [row.custom_id, row]));
    expect(byName.get('a')).toMatchObject({ response: { status_code: 200 }, error: null });
    expect(byName.get('b')).toEqual({
      custom_id: 'b',
      response: null,
      error: { code: 400, message: 'Unable to answer this.' },
    });
    expect(byName.get('lost')).toMatchObject({ response: null, error: { code: 502 } });
    expect(rowsOf(await manage('GET', '/generations'))).toHaveLength(2);
  });
});
