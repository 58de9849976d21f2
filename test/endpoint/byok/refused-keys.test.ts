import { expect, it } from 'vitest';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { addKey, type MODES, startProviders } from '../../support/providers.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

const WRONG = 'sk-wrong-0123456789abcdefghij';
const MODE: (typeof MODES)[number] = 'in one piece';
const ONLY_ALPHA = { provider: { only: ['alpha'] } };

it('a provider key that is refused is named with its provider and workspace, and nobody is sent to the gateway’s own key', async () => {
  const gateway = await startProviders(null);
  const id = await addKey(gateway, 'alpha', WRONG, { name: 'Production' });
  const { workspace_id } = recordOf(await gateway.manage('GET', `/byok/${id}`));
  const heard = await gateway.ask(MODE, ONLY_ALPHA);
  expect(heard.status).toBe(502);
  expect(heard.error?.message).toBe(
    `Provider alpha refused the provider key "Production" (${id}) of workspace ${workspace_id} (status 401): replace that credential`,
  );
  expect(heard.error?.metadata).toMatchObject({
    reason: 'upstream_credential_refused',
    byok_key: { id, name: 'Production', provider: 'alpha', workspace_id },
    provider_error: { code: 'invalid_api_key', message: expect.stringContaining('Incorrect API key') },
    provider_responses: [{ provider: 'alpha', status: 401, byok_key_id: id }],
  });
  expect(heard.text).not.toContain(WRONG);
});

it('a refused key is marked in GET /byok until an answer, or another credential, takes the mark away', async () => {
  const gateway = await startProviders(null);
  const id = await addKey(gateway, 'alpha', WRONG);
  const refusal = async () => recordOf(await gateway.manage('GET', `/byok/${id}`)).refusal;
  expect(await refusal()).toBeNull();
  await gateway.ask(MODE, ONLY_ALPHA);
  await waitFor(async () =>
    expect(await refusal()).toEqual({
      reason: 'credential_refused',
      status: 401,
      refused_at: expect.stringMatching(/^\d{4}-/),
    }),
  );
  const patched = recordOf(await gateway.manage('PATCH', `/byok/${id}`, { key: FAKE_API_KEY }));
  expect(patched.refusal).toBeNull();
  expect(await refusal()).toBeNull();
});

it('an answer takes the mark of an empty account away', async () => {
  const gateway = await startProviders(null);
  const id = await addKey(gateway, 'alpha', FAKE_API_KEY);
  const refusal = async () => recordOf(await gateway.manage('GET', `/byok/${id}`)).refusal as Row | null;
  const message = 'You exceeded your current quota.';
  const body = { error: { message, type: 'insufficient_quota', code: 'insufficient_quota' } };
  gateway.alpha.plan('m', { status: 429, body });
  const heard = await gateway.ask(MODE, ONLY_ALPHA);
  expect([heard.status, heard.error?.metadata?.reason]).toEqual([502, 'upstream_quota_exhausted']);
  expect(heard.error?.message).toMatch(
    /no balance or quota is left for the provider key .*: top up its account there/,
  );
  await waitFor(async () => expect((await refusal())?.reason).toBe('quota_exhausted'));
  const tested = recordOf(await gateway.manage('POST', `/byok/${id}/test`));
  expect(tested).toMatchObject({ ok: false, status: 429, reason: 'quota_exhausted' });
  gateway.alpha.plan('m', {});
  expect((await gateway.ask(MODE, ONLY_ALPHA)).status).toBe(200);
  await waitFor(async () => expect(await refusal()).toBeNull());
});

it('a refused key goes on to the next attempt', async () => {
  const gateway = await startProviders(null);
  await addKey(gateway, 'alpha', WRONG);
  await addKey(gateway, 'beta', FAKE_API_KEY);
  expect(await gateway.ask(MODE)).toMatchObject({ status: 200, provider: 'beta' });
});

it('of shared capacity only the operator is told what the provider has said', async () => {
  const gateway = await startProviders('shared capacity');
  const words = 'Organization org-of-the-operator is out of quota';
  gateway.alpha.plan('m', { status: 401, body: { error: { message: words, code: 'invalid_api_key' } } });
  const heard = await gateway.ask(MODE, ONLY_ALPHA);
  expect(heard.error?.message).toBe(
    "The gateway's own key for Provider alpha was refused: tell its operator",
  );
  expect(heard.error?.metadata?.reason).toBe('upstream_credential_refused');
  expect(heard.text).not.toMatch(/org-of-the-operator|invalid_api_key/);
  expect(bodyOf(await gateway.use('GET', `/generation?id=${heard.id}`))).not.toMatchObject({ error: words });
  const logged = gateway.log
    .map((line) => JSON.parse(line))
    .filter(({ level, endpoint }) => level === 40 && endpoint);
  expect(logged).toMatchObject([{ provider: 'alpha', status: 401, told: words, reason: 'auth' }]);
});

it('a client of Messages is told with 529', async () => {
  const gateway = await startProviders(null);
  await addKey(gateway, 'alpha', WRONG);
  const body = { model: 'test/m', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...ONLY_ALPHA };
  const answer = await gateway.use('POST', '/messages', body);
  expect(answer.status).toBe(529);
  expect(bodyOf(answer)).toMatchObject({
    error: { type: 'overloaded_error', metadata: { reason: 'upstream_credential_refused' } },
  });
});
