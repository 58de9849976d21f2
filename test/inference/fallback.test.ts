import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import {
  bench,
  byokAttempt,
  chatRequest,
  contentOf,
  drain,
  sharedAttempt,
  shortTimeouts,
} from '../support/chat.js';

/** Every test of this file runs in both modes. */
const MODES = ['complete', 'stream'] as const;

async function ask(mode: (typeof MODES)[number], { chat }: ReturnType<typeof bench>) {
  const request = chatRequest();
  if (mode === 'stream') {
    const { chunks, thrown } = await drain(chat.stream(request));
    return { text: contentOf(chunks), thrown };
  }
  return chat.complete(request).then(
    ({ choices }) => ({ text: choices[0]?.message.content ?? '', thrown: undefined }),
    (thrown: unknown) => ({ text: '', thrown }),
  );
}

describe.each(MODES)('trying one attempt after the other, %s', (mode) => {
  it('tries attempts in the order of the plan and lists each', async () => {
    const table = bench([
      byokAttempt('demo-status-429-first'),
      byokAttempt('demo-reset-second'),
      sharedAttempt('echo'),
      sharedAttempt('status-500'),
    ]);
    const { text, thrown } = await ask(mode, table);
    expect(thrown).toBeUndefined();
    expect(text).toContain('Hello there');
    const [generation] = table.generations;
    expect(generation).toMatchObject({
      provider: 'demo',
      endpoint: 'demo/echo',
      byokKeyId: null,
      model: 'demo/model',
    });
    const common = {
      provider: 'demo',
      provider_name: 'Demo',
      endpoint: 'demo/echo',
      latency_ms: 0,
      adapted: null,
    };
    expect(generation?.providerResponses).toEqual([
      { ...common, status: 429, error: null, is_byok: true, byok_key_id: 'key-demo-status-429-first' },
      { ...common, status: null, error: 'reset', is_byok: true, byok_key_id: 'key-demo-reset-second' },
      { ...common, status: 200, error: null, is_byok: false, byok_key_id: null },
    ]);
  });

  it.each([400, 401, 402, 403, 404, 408, 413, 422, 424, 429, 500, 502, 503, 529])(
    'moves on from status %i and records it',
    async (status) => {
      const table = bench([sharedAttempt(`status-${status}`), sharedAttempt('echo')]);
      const { text } = await ask(mode, table);
      expect(text).toContain('Hello there');
      expect(table.generations[0]?.providerResponses.map((response) => response.status)).toEqual([
        status,
        200,
      ]);
    },
  );

  it.each([
    ['status-400', { kind: 'invalid_request' }],
    ['status-404', { kind: 'invalid_request' }],
    ['status-401', { kind: 'failure' }],
    ['status-503', { kind: 'failure' }],
    ['reset', { kind: 'failure' }],
    ['truncate', { kind: 'failure' }],
    ['malformed', { kind: 'failure' }],
    ['content-filter', { kind: 'invalid_request' }],
    ['status-429', { kind: 'rate_limited', retryAfterMs: 2000 }],
    ['echo', { kind: 'success' }],
  ])('reports the outcome of %s to the circuit breaker once', async (script, outcome) => {
    const table = bench([sharedAttempt(script)]);
    await ask(mode, table);
    expect(table.outcomes).toEqual([{ endpointId: `demo/${script}`, byokKeyId: null, outcome }]);
  });

  it('ends the plan with 400 at a content filter, even if attempts are left', async () => {
    const table = bench([
      sharedAttempt('status-500'),
      sharedAttempt('content-filter'),
      sharedAttempt('echo'),
    ]);
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'content_filter', httpStatus: 400 });
    expect(thrown).toHaveProperty('message', expect.stringContaining('content management policy'));
    expect(table.generations[0]?.providerResponses.map(({ status }) => status)).toEqual([500, 400]);
  });

  it('lists a credential that cannot be opened as an attempt of its own', async () => {
    const broken = byokAttempt('broken');
    const table = bench([broken, sharedAttempt('echo')], {
      openCredential: async ({ key }) => {
        if (key !== null) throw new Error('sk-secret is no ciphertext');
        return null;
      },
    });
    const { text } = await ask(mode, table);
    expect(text).toContain('Hello there');
    expect(table.generations[0]?.providerResponses[0]).toMatchObject({
      status: null,
      error: 'credential',
      is_byok: true,
      byok_key_id: 'key-broken',
    });
    expect(JSON.stringify(table.generations, (_, value) => String(value))).not.toContain('sk-secret');
  });

  it('blames the database and no key when a credential cannot be read because it is away', async () => {
    const away = new Problem('database_unavailable', 'The database is not available', {
      retryAfterSeconds: 1,
    });
    const table = bench([byokAttempt('one'), sharedAttempt('echo')], {
      openCredential: () => Promise.reject(away),
    });
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'database_unavailable', httpStatus: 503, retryAfterSeconds: 1 });
    expect(table.outcomes).toEqual([]);
  });

  it('counts an unexpected error of an adapter as a failed attempt, but not against the endpoint', async () => {
    const table = bench([sharedAttempt('echo')], { adapters: new Map() });
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'upstream_failed' });
    expect(table.generations[0]?.providerResponses[0]).toMatchObject({ status: null, error: 'internal' });
    expect(table.outcomes).toEqual([]);
  });
});

describe.each(MODES)('when no attempt serves, %s', (mode) => {
  async function refusal(...scripts: string[]) {
    const table = bench(scripts.map((script) => sharedAttempt(script)));
    const { thrown } = await ask(mode, table);
    return { thrown, table };
  }

  it('answers 429 with the smallest Retry-After when all were rate limits', async () => {
    const { thrown } = await refusal('status-429', 'status-529');
    expect(thrown).toMatchObject({ reason: 'upstream_rate_limited', httpStatus: 429, retryAfterSeconds: 2 });
  });

  it("answers 400 with the provider's message when all refused the request", async () => {
    const { thrown } = await refusal('status-422', 'status-422');
    expect(thrown).toMatchObject({ reason: 'upstream_invalid_request', httpStatus: 400 });
    expect(thrown).toHaveProperty('message', 'Unprocessable request.');
  });

  it('answers 400 in words of its own where one has found the request too long', async () => {
    const { thrown } = await refusal('status-400', 'status-422');
    expect(thrown).toMatchObject({ reason: 'context_length_exceeded', metadata: { context_length: 8192 } });
    expect(thrown).toHaveProperty('message', expect.stringContaining('maximum context length is 8192'));
  });

  it.each([
    [['status-429', 'status-400']],
    [['status-429', 'status-500']],
    [['reset']],
    [['status-401', 'status-500']],
  ])('answers 502 to %s', async (scripts) => {
    const { thrown } = await refusal(...scripts);
    expect(thrown).toMatchObject({ reason: 'upstream_failed', httpStatus: 502 });
  });

  it.each([
    [['status-401'], 'upstream_credential_refused'],
    [['status-402'], 'upstream_quota_exhausted'],
    [['status-403', 'status-402'], 'upstream_credential_refused'],
  ])('answers 502 about the account to %s', async (scripts, reason) => {
    const { thrown } = await refusal(...scripts);
    expect(thrown).toMatchObject({ reason, httpStatus: 502 });
  });

  it('lists every attempt in the metadata and records the request without a provider', async () => {
    const { thrown, table } = await refusal('status-500', 'reset');
    const [generation] = table.generations;
    expect(thrown).toHaveProperty('metadata.provider_responses', generation?.providerResponses);
    expect(generation?.providerResponses).toHaveLength(2);
    expect(table.generations).toHaveLength(1);
    expect(generation).toMatchObject({
      provider: null,
      model: 'demo/model',
      finishReason: 'error',
      status: 'failed',
      promptTokens: 0,
      latencyMs: null,
    });
  });

  it('passes on what admission throws, and records nothing', async () => {
    const refused = new Problem('no_endpoint', 'nothing compliant');
    const table = bench([], { admit: () => Promise.reject(refused) });
    const { thrown } = await ask(mode, table);
    expect(thrown).toBe(refused);
    expect(table.generations).toEqual([]);
  });
});

it('leaves exactly one response per attempt tried, and stops at the first that serves', async () => {
  const failing = [
    'status-400',
    'status-401',
    'status-429',
    'status-500',
    'reset',
    'break-after-0',
    'malformed',
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...failing), { maxLength: 12 }),
      fc.boolean(),
      async (scripts, serves) => {
        const plan = serves ? [...scripts, 'echo', 'status-500'] : scripts;
        const table = bench(plan.map((script) => sharedAttempt(script)));
        const answered = await table.chat.complete(chatRequest()).then(
          () => true,
          () => false,
        );
        expect(answered).toBe(serves);
        const tried = table.generations[0]?.providerResponses.map(({ endpoint }) => endpoint);
        expect(tried).toEqual([...scripts, ...(serves ? ['echo'] : [])].map((script) => `demo/${script}`));
        expect(table.outcomes).toHaveLength(tried?.length ?? 0);
      },
    ),
    { numRuns: 60 },
  );
});

it('starts no attempt after the total deadline', async () => {
  const table = bench([sharedAttempt('stall'), sharedAttempt('echo')], {
    timeouts: shortTimeouts({ totalMs: 30 }),
  });
  await expect(table.chat.complete(chatRequest())).rejects.toMatchObject({ reason: 'upstream_failed' });
  expect(table.generations[0]?.providerResponses).toMatchObject([{ status: null, error: 'timeout' }]);
});

it.each([
  ['the only attempt at an answer in one piece had all of it', ['stall'], {}, [{ endpointId: 'demo/stall' }]],
  ['an earlier attempt had its share', ['status-500', 'stall'], {}, [{ endpointId: 'demo/status-500' }]],
  ['the request asked for less', ['stall'], { provider: { timeouts_ms: { total: 20 } } }, []],
])('the total deadline counts against an endpoint or not: %s', async (_, scripts, body, outcomes) => {
  const table = bench(
    scripts.map((script) => sharedAttempt(script)),
    { timeouts: shortTimeouts({ totalMs: 30 }) },
  );
  await expect(table.chat.complete(chatRequest(body))).rejects.toMatchObject({ reason: 'upstream_failed' });
  expect(table.outcomes).toMatchObject(outcomes);
});
