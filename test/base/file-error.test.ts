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

it.each(CASES)('an error of the file system is described in words: %s', (path, action, expected) => {
  expect(describeFileError(path, thrownBy(action))).toBe(expected);
});

it('only errors of the operating system have a system code', () => {
  expect(systemCode(new TypeError('x'))).toBeUndefined();
  expect(systemCode(Object.assign(new Error('x'), { code: 'FST_ERR' }))).toBeUndefined();
});

it('the error for a secret file that cannot be created names its path', () => {
  const path = join(folder, 'no such folder', 'secret');
  const error = thrownBy(() => createSecretFile(path, 'x'));
  expect(error).toMatchObject({ code: 'ENOENT', path });
});

function thrownBy(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
