import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addMasterKey, openMasterKeyFile } from '../../src/byok/vault/master-key-file.js';
import { loadMasterKeys, type MasterKeySettings } from '../../src/byok/vault/master-key-settings.js';

const sha256 = (secret: Buffer) => createHash('sha256').update(secret).digest('hex');

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'byway-master-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function settings(given: Partial<MasterKeySettings> = {}): MasterKeySettings {
  return {
    masterKey: undefined,
    masterKeyFile: undefined,
    masterKeyPrevious: undefined,
    dataDirectory: given.dataDirectory ?? folder(),
    ...given,
  };
}

const bytes = (fill: number, count = 32) => Buffer.alloc(count, fill).toString('base64');
const idOf = (fill: number) => sha256(Buffer.alloc(32, fill)).slice(0, 16);

describe('the master key', () => {
  test('is taken from BYWAY_MASTER_KEY, older ones from BYWAY_MASTER_KEY_PREVIOUS', () => {
    const given = settings({ masterKey: bytes(1), masterKeyPrevious: `${bytes(2)}, ${bytes(3)}` });
    const { keys, ownFile, created } = loadMasterKeys(given);
    expect(keys.current.id).toBe(idOf(1));
    expect([1, 2, 3, 4].map((fill) => keys.find(idOf(fill))?.id)).toEqual([
      idOf(1),
      idOf(2),
      idOf(3),
      undefined,
    ]);
    expect([ownFile, created]).toEqual([null, false]);
    expect(readdirSync(given.dataDirectory)).toEqual([]);
  });

  test('is taken from BYWAY_MASTER_KEY_FILE, with or without a last line break', () => {
    const masterKeyFile = join(folder(), 'key');
    writeFileSync(masterKeyFile, `${bytes(5)}\n`);
    expect(loadMasterKeys(settings({ masterKeyFile })).keys.current.id).toBe(idOf(5));
    writeFileSync(masterKeyFile, bytes(6).replace('=', ''));
    expect(loadMasterKeys(settings({ masterKeyFile })).keys.current.id).toBe(idOf(6));
  });

  test('is created in the data directory when none is set, with mode 0600, once', () => {
    const given = settings({ dataDirectory: join(folder(), 'not', 'yet') });
    const first = loadMasterKeys(given);
    const second = loadMasterKeys(given);
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.keys.current.id).toBe(first.keys.current.id);
    expect(first.ownFile).toBe(join(given.dataDirectory, 'master.key'));
    expect(statSync(join(given.dataDirectory, 'master.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(given.dataDirectory)).toEqual(['master.key']);
  });

  const secretish = 'not-base64-canary!';

  test.each<[string, Partial<MasterKeySettings>, RegExp]>([
    ['short', { masterKey: bytes(1, 31) }, /^BYWAY_MASTER_KEY: .* has 31 bytes$/],
    ['long', { masterKey: bytes(1, 33) }, /^BYWAY_MASTER_KEY: .* has 33 bytes$/],
    ['empty', { masterKey: '' }, /^BYWAY_MASTER_KEY: .* is empty$/],
    ['not base64', { masterKey: secretish }, /^BYWAY_MASTER_KEY: .* is not base64$/],
    ['hexadecimal', { masterKey: 'ab'.repeat(32) }, /^BYWAY_MASTER_KEY: .* has 48 bytes$/],
    ['a bad previous one', { masterKey: bytes(1), masterKeyPrevious: 'x,' }, /^BYWAY_MASTER_KEY_PREVIOUS: /],
    ['no such file', { masterKeyFile: '/nowhere/key' }, /^BYWAY_MASTER_KEY_FILE: .*ENOENT/],
    [
      'both',
      { masterKey: bytes(1), masterKeyFile: '/nowhere' },
      /BYWAY_MASTER_KEY and BYWAY_MASTER_KEY_FILE/,
    ],
  ])('%s: fails with an error that names the setting and not its value', (_, given, message) => {
    expect(() => loadMasterKeys(settings(given))).toThrow(message);
    expect(() => loadMasterKeys(settings(given))).not.toThrow(/canary/);
  });

  test('a file without a key, or with a broken one, is refused', () => {
    const masterKeyFile = join(folder(), 'key');
    writeFileSync(masterKeyFile, '\n\n');
    expect(() => loadMasterKeys(settings({ masterKeyFile }))).toThrow(
      /^BYWAY_MASTER_KEY_FILE: holds no master key/,
    );
    writeFileSync(masterKeyFile, `${bytes(1)}\nbroken\n`);
    expect(() => loadMasterKeys(settings({ masterKeyFile }))).toThrow(/^BYWAY_MASTER_KEY_FILE: /);
  });

  test('is never printed', () => {
    const { keys } = loadMasterKeys(settings({ masterKey: bytes(7) }));
    const shown = `${inspect(keys, { showHidden: true, depth: 9 })}${JSON.stringify(keys)}${keys.current}`;
    expect(shown).not.toContain(bytes(7).slice(0, 20));
    expect(shown).not.toContain('07 07');
  });
});

describe('a rotation in the data directory', () => {
  test('is noticed by running processes when they meet the new key, and keeps the old one readable', () => {
    const given = settings();
    const running = loadMasterKeys(given).keys;
    const old = running.current;
    addMasterKey(join(given.dataDirectory, 'master.key'));
    const fresh = loadMasterKeys(given).keys;
    expect(fresh.current.id).not.toBe(old.id);
    expect(fresh.find(old.id)?.id).toBe(old.id);
    expect(running.find(fresh.current.id)?.id).toBe(fresh.current.id);
    expect(running.current.id).toBe(fresh.current.id);
    expect(statSync(join(given.dataDirectory, 'master.key')).mode & 0o777).toBe(0o600);
  });

  test('does not stop a running process when the file is missing or invalid', () => {
    const path = join(folder(), 'master.key');
    writeFileSync(path, bytes(8));
    const keys = openMasterKeyFile('test', path, []);
    writeFileSync(path, 'broken');
    expect(keys.find('unknown')).toBeUndefined();
    rmSync(path);
    expect(keys.find('unknown')).toBeUndefined();
    expect(keys.current.id).toBe(idOf(8));
  });
});

test('of many processes that start at once, one creates the key and all have the same', async () => {
  const compiled = folder();
  writeFileSync(join(compiled, 'package.json'), '{"type": "module"}');
  execFileSync(resolve('node_modules/.bin/tsc'), [
    '--ignoreConfig',
    ...['--outDir', compiled],
    ...['--rootDir', 'src'],
    ...['--target', 'es2023'],
    ...['--types', 'node'],
    ...['--module', 'nodenext'],
    'src/byok/vault/master-key-settings.ts',
  ]);
  const dataDirectory = join(folder(), 'data');
  const script = `
    const { loadMasterKeys } = await import(process.argv[1]);
    const { keys, created } = loadMasterKeys({ dataDirectory: process.argv[2] });
    console.log(keys.current.id, created);`;
  const module = join(compiled, 'byok/vault/master-key-settings.js');
  const lines = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, module, dataDirectory]);
      let output = '';
      for await (const chunk of child.stdout) output += String(chunk);
      return output.trim();
    }),
  );
  expect(lines.filter((line) => line.endsWith(' true'))).toHaveLength(1);
  const [id = ''] = lines.map((line) => line.split(' ')[0]);
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set([id]));
  expect(id).toBe(
    sha256(Buffer.from(readFileSync(join(dataDirectory, 'master.key'), 'utf8'), 'base64')).slice(0, 16),
  );
  expect(readdirSync(dataDirectory)).toEqual(['master.key']);
});
