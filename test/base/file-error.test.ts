import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeFileError, systemCode } from '../../src/base/file-error.js';
import { createSecretFile } from '../../src/base/secret-file.js';

const folder = mkdtempSync(join(tmpdir(), 'byway-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'file'), '');
symlinkSync('circle', join(folder, 'circle'));

const CASES: readonly [string, () => unknown, string][] = [
  ['nowhere', () => readFileSync(join(folder, 'nowhere')), 'nowhere: it does not exist (ENOENT)'],
  ['.', () => readFileSync(folder), '.: it is a folder (EISDIR)'],
  ['file/x', () => mkdirSync(join(folder, 'file/x')), 'file/x: a part of its path is no folder (ENOTDIR)'],
  [
    'circle',
    () => readFileSync(join(folder, 'circle')),
    'circle: its symbolic links lead in a circle (ELOOP)',
  ],
  ['/dev/full', () => writeFileSync('/dev/full', 'x'), '/dev/full: the disk is full (ENOSPC)'],
  ['x', () => readFileSync(join(folder, 'x'.repeat(300))), 'x: its name is too long (ENAMETOOLONG)'],
  ['file', () => mkdirSync(join(folder, 'file')), 'file (EEXIST)'],
];

it.each(CASES)('what the system says of a file is told in words: %s', (path, act, expected) => {
  expect(describeFileError(path, thrownBy(act))).toBe(expected);
});

it('an error of no file has no code of the system', () => {
  expect(systemCode(new TypeError('x'))).toBeUndefined();
  expect(systemCode(Object.assign(new Error('x'), { code: 'FST_ERR' }))).toBeUndefined();
});

it('a secret file that cannot be made is told by its own name, and leaves nothing behind', () => {
  const path = join(folder, 'no such folder', 'secret');
  const error = thrownBy(() => createSecretFile(path, 'x'));
  expect(error).toMatchObject({ code: 'ENOENT', path });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
