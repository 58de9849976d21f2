import { beforeAll, expect, test } from 'vitest';
import { buildByway, byway, documentOf, emptyInstallation, inProcess } from '../support/byway.js';

beforeAll(buildByway, 180_000);

async function installation(env: Record<string, string> = {}) {
  const own = { ...(await emptyInstallation()), ...env };
  const run = (...args: string[]) => inProcess([...args, '--json'], own);
  const create = async (name: string, ...more: string[]) =>
    documentOf(await run('account', 'create', '--name', name, ...more));
  return { env: own, run, create };
}

test('a mistaken top-up is taken back with a note, which is required and kept; never more than is left', async () => {
  const { env, run, create } = await installation();
  const { account_id: id } = await create('Acme', '--credits', '500');
  expect(documentOf(await run('account', 'credit', id, '-450', '--note', 'typed 500 for 50'))).toEqual({
    account_id: id,
    added: -450,
    total_credits: 50,
  });
  const noteless = documentOf(await run('account', 'credit', id, '-1'));
  expect(noteless.error.metadata.violations).toMatchObject([{ field: 'note', rule: 'required' }]);
  const tooMuch = documentOf(await run('account', 'credit', id, '-50.000000001', '--note', 'all of it'));
  expect(tooMuch.error.metadata.violations).toMatchObject([
    { field: 'amount', rule: 'left', message: expect.stringContaining('at most 50 USD can be taken back') },
  ]);
  expect(documentOf(await run('account', 'credit', id, '0')).error.metadata.violations).toMatchObject([
    { field: 'amount', rule: 'range' },
  ]);
  expect(documentOf(await run('account', 'show', id))).toMatchObject({
    total_credits: 50,
    total_usage: 0,
    top_ups: [
      { amount: -450, note: 'typed 500 for 50' },
      { amount: 500, note: null },
    ],
  });
  const built = await byway(['account', 'credit', id, '-50', '--note', 'the rest'], env);
  expect([built.code, built.stdout]).toEqual([
    0,
    'took back 50 USD; the account has been given 0 USD in all\n',
  ]);
});

test('an account is updated member by member; a bad change is refused and changes nothing', async () => {
  const { run, create } = await installation();
  const { account_id: id } = await create('Acme');
  const changed = await run('account', 'update', id, '--plan', 'enterprise', '--shared-capacity', 'off');
  expect(documentOf(changed)).toMatchObject({ name: 'Acme', plan: 'enterprise', shared_capacity: false });
  expect(documentOf(await run('account', 'update', id, '--name', 'Acme 2'))).toMatchObject({
    name: 'Acme 2',
    plan: 'enterprise',
    shared_capacity: false,
  });
  for (const bad of [[], ['--plan', 'free'], ['--shared-capacity', 'maybe'], ['--name', '']]) {
    expect(await run('account', 'update', id, ...bad)).toMatchObject({ code: 1 });
  }
  expect(await run('account', 'update', 'nobody', '--name', 'X')).toMatchObject({ code: 1 });
  expect(documentOf(await run('account', 'show', id))).toMatchObject({ name: 'Acme 2', plan: 'enterprise' });
});

test('an account is closed and reopened; closing it twice keeps the first time', async () => {
  const { run, create } = await installation();
  const { account_id: id } = await create('Acme');
  const { closed_at } = documentOf(await run('account', 'close', id));
  expect(closed_at).toMatch(/^\d{4}-/);
  expect(documentOf(await run('account', 'close', id))).toMatchObject({ closed_at });
  expect(documentOf(await run('account', 'list')).data).toMatchObject([{ account_id: id, closed_at }]);
  expect(documentOf(await run('account', 'reopen', id))).toMatchObject({ closed_at: null });
});

test('a disabled API key is enabled again', async () => {
  const { run, create } = await installation();
  const { account_id: id } = await create('Acme');
  const { hash } = documentOf(await run('key', 'create', '--account', id, '--name', 'K'));
  expect(documentOf(await run('key', 'disable', hash))).toEqual({ hash, disabled: true });
  expect(documentOf(await run('key', 'enable', hash))).toEqual({ hash, disabled: false });
});

test('with BYWAY_BILLING=off an account beside another has no shared capacity until it is given', async () => {
  const { env, run, create } = await installation({ BYWAY_BILLING: 'off' });
  const [first, second] = [await create('First'), await create('Second')];
  expect([first.shared_capacity, second.shared_capacity]).toEqual([undefined, false]);
  const given = await run('account', 'update', second.account_id, '--shared-capacity', 'on');
  expect(documentOf(given)).toMatchObject({ shared_capacity: true });
  expect((await inProcess(['doctor'], env)).stdout).toContain('off: nothing is charged');
});
