import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandFailureOf } from '../../src/cli/output/failure.js';
import { databaseUnavailable } from '../../src/store/engine/unavailable.js';
import { documentOf, emptyDataDir, emptyInstallation, inProcess } from '../support/byway.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('a failure is one line on stderr, and exit code 1', () => {
  it.each([
    ['no-such command', ['serv'], "unknown command 'serv' (Did you mean serve?)"],
    ['a missing option', ['account', 'create'], "required option '--name <name>' not specified"],
    ['an unknown option', ['doctor', '--jsn'], "unknown option '--jsn' (Did you mean --json?)"],
    ['a superfluous argument', ['doctor', 'now'], /^too many arguments/],
    [
      'a bad plan',
      ['account', 'create', '--name', 'A', '--plan', 'free'],
      /Allowed choices are pay_as_you_go, enterprise/,
    ],
    ['an unknown account', ['account', 'credit', NOBODY, '1'], `there is no account ${NOBODY}`],
    [
      'an amount that is none',
      ['account', 'credit', NOBODY, '1,5'],
      'amount: must be an amount in USD with at most 9 decimals',
    ],
    [
      'an amount with ten decimals',
      ['account', 'create', '--name', 'A', '--credits', '0.1234567891'],
      'credits: must be an amount in USD with at most 9 decimals',
    ],
    [
      'less than no credits',
      ['account', 'create', '--name', 'A', '--credits=-1'],
      'credits: must be from 0 to 1000000000',
    ],
    [
      'a key of nobody',
      ['key', 'create', '--account', NOBODY, '--name', 'K'],
      `there is no account ${NOBODY}`,
    ],
    [
      'nothing on standard input',
      ['provider', 'set-key', 'openai'],
      /^standard input: is empty; .*set-key NAME < FILE/,
    ],
    ['a route for no key', ['explain', '--model', 'a/b'], /^there is no API key yet/],
    [
      'a route for a key that is not there',
      ['explain', '--model', 'a/b', '--key', 'abc'],
      'there is no API key with the hash abc',
    ],
    [
      'a key to disable that is not there',
      ['key', 'disable', 'abc'],
      'there is no API key with the hash abc',
    ],
    ['keys of nobody', ['key', 'list', '--account', NOBODY], `there is no account ${NOBODY}`],
    ['an operator key that is not there', ['operator-key', 'revoke', 'abc'], 'there is no operator key abc'],
    ['an operator key without a name', ['operator-key', 'create', '--name', ''], /^name: must have 1 to 255/],
    ['a folder for a batch', ['batch', 'submit', '/'], 'cannot read /: it is a folder (EISDIR)'],
    [
      'preferences that are not JSON',
      ['explain', '--model', 'a/b', '--provider', '{order'],
      'provider: must be JSON',
    ],
    [
      'a file that is not there',
      ['catalog', 'import', '/no/such/file'],
      'cannot read /no/such/file: it does not exist (ENOENT)',
    ],
    [
      'an address that does not answer',
      ['catalog', 'import', 'http://u:p@127.0.0.1:9/x?key=secret'],
      /^cannot fetch http:\/\/127\.0\.0\.1:9\/x: /,
    ],
  ])('%s', async (_, args, expected) => {
    const env = { ...(await emptyInstallation()), BYWAY_MASTER_KEY: Buffer.alloc(32).toString('base64') };
    const { code, stdout, stderr } = await inProcess(args, env);
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
    const line = stderr.replace(/^byway: /, '').trimEnd();
    if (typeof expected === 'string') expect(line).toBe(expected);
    else expect(line).toMatch(expected);
  });

  it('names the variable of a folder or database that cannot be used', async () => {
    const folder = dirname(emptyDataDir());
    const file = join(folder, 'file');
    writeFileSync(file, 'no database '.repeat(100));
    const inFile = await inProcess(['account', 'create', '--name', 'A'], { BYWAY_DATA_DIR: `${file}/data` });
    expect(inFile.stderr).toBe(
      `byway: BYWAY_DATA_DIR: cannot use ${file}/data: a part of its path is no folder (ENOTDIR)\n`,
    );
    const env = { BYWAY_DATA_DIR: folder, BYWAY_DATABASE_URL: `sqlite:${file}` };
    const broken = await inProcess(['account', 'create', '--name', 'A'], env);
    expect(broken.stderr).toBe(
      `byway: BYWAY_DATABASE_URL: the database ${file} is damaged (it does not begin as a SQLite database does: it was overwritten, or it is another file); "byway db check" tells more\n`,
    );
    const { stderr } = await inProcess(['account', 'list'], {
      ...env,
      BYWAY_DATABASE_URL: `sqlite:${folder}`,
    });
    expect(stderr).toBe(
      `byway: BYWAY_DATABASE_URL: the database ${folder} cannot be used: it cannot be opened: it must be a file, in a folder that this user may write\n`,
    );
    const foreign = await inProcess(['db', 'check'], { ...env, BYWAY_DATABASE_URL: 'mysql://u:p@h/x' });
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringMatching(/BYWAY_DATABASE_URL must/) });
  });
});

describe('a database that fails while a command or a start works with it', () => {
  it('is told in words for the operator, not in those for callers', () => {
    const cause = new Error(
      'no connection is left at db:5432: raise max_connections, or run fewer processes',
    );
    expect(commandFailureOf(databaseUnavailable(cause)).text).toBe(
      'byway: The database is not available: no connection is left at db:5432: raise max_connections, or run fewer processes\n',
    );
    const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
    expect(commandFailureOf(databaseUnavailable(busy)).text).toMatch(
      /^byway: The database is not available: another program holds its lock for writing: end that/,
    );
  });
});

describe('with --json a failure is the error envelope on stdout', () => {
  const cases: readonly [string, string[], number, string, Record<string, string>?][] = [
    ['of usage', ['account', 'create', '--json'], 400, 'invalid_request'],
    ['without a command', ['--json'], 400, 'invalid_request'],
    ['of configuration', ['--json', 'db', 'migrate'], 400, 'invalid_request', { BYWAY_DATABASE_URL: 'x:y' }],
    ['of existence', ['account', '--json', 'credit', NOBODY, '1'], 404, 'not_found'],
  ];
  it.each(cases)('%s', async (_, args, code, reason, env = {}) => {
    const ended = await inProcess(args, { ...(await emptyInstallation()), ...env });
    expect(ended.code).toBe(1);
    expect(documentOf(ended)).toEqual({
      error: { code, message: expect.any(String), metadata: { reason } },
    });
  });

  it('with every violation', async () => {
    const env = await emptyInstallation();
    const account = documentOf(await inProcess(['account', 'create', '--name', 'A', '--json'], env));
    const id: string = account.account_id;
    const args = ['key', 'create', '--account', id, '--name', '', '--limit=-1', '--user', '', '--json'];
    const { metadata } = documentOf(await inProcess(args, env)).error;
    expect(metadata.violations).toMatchObject([
      { field: 'name', rule: 'length' },
      { field: 'limit', rule: 'range' },
      { field: 'creator_user_id', rule: 'length' },
    ]);
  });
});

describe('a catalogue that cannot be taken changes nothing, and every violation is named with its path', () => {
  it('a native file', async () => {
    const env = await emptyInstallation();
    mkdirSync(env.BYWAY_DATA_DIR);
    const file = join(env.BYWAY_DATA_DIR, 'bad.json');
    writeFileSync(file, '{"providers": [{"slug": "x", "name": "X", "adaptr": "demo"}], "models": [{}]}');
    const ended = await inProcess(['catalog', 'import', file], env);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('byway: 7 errors\n  providers[0].adaptr: ');
    expect(ended.stderr).toContain('\n  models[0].id: is required\n');
    const exported = await inProcess(['catalog', 'export'], env);
    expect(documentOf(exported)).toEqual({ providers: [], models: [] });
  });
});
