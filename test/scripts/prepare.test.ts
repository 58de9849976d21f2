import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Checkout } from './checkout.js';

/** Of a program that needs `a`, which needs `b`, and of tests that need `c`. */
const PACKAGES = {
  '': { dependencies: { a: '1.0.0' } },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/b': { version: '1.0.0' },
  'node_modules/of-another-platform': { version: '1.0.0', optional: true },
};
const TEST_PACKAGES = {
  'node_modules/byway-test': { resolved: 'test', link: true },
  'node_modules/c': { version: '1.0.0' },
  test: { devDependencies: { c: '1.0.0' } },
};
const LOCKFILE = JSON.stringify({ packages: { ...PACKAGES, ...TEST_PACKAGES } });

/** Does to the checkout what npm would, slowly enough for another process to notice, and lists how it was called. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const [command, ...options] = process.argv.slice(2);
appendFileSync('npm-calls', [command, ...options.filter((one) => one === '--workspaces=false')].join(' ') + '\\n');
setTimeout(() => {
  if (existsSync('broken')) process.exit(1);
  if (command === 'run') {
    mkdirSync('dist', { recursive: true });
    writeFileSync('dist/.built', '');
    return;
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  delete packages[''];
  delete packages['node_modules/of-another-platform'];
  if (options.includes('--workspaces=false')) {
    for (const path of ${JSON.stringify(Object.keys(TEST_PACKAGES))}) delete packages[path];
  }
  for (const path of Object.keys(packages)) mkdirSync(path, { recursive: true });
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
}, 200);
`;

const FOR_START = 'ci --workspaces=false';

describe('npm start and npm test on a fresh clone need Node alone', () => {
  let checkout: Checkout;

  beforeEach(() => {
    checkout = new Checkout(['prepare.mjs', 'bundle.mjs'], {
      'package.json': JSON.stringify({ engines: { node: '>=20.19.0' } }),
      'package-lock.json': LOCKFILE,
      'tsconfig.json': '{}',
      'tsconfig.build.json': '{}',
      'src/deep/main.ts': '',
      'gen/a_pb.ts': '',
      'bin/npm': NPM,
    });
  });

  afterEach(() => checkout.remove());

  it('a start installs nothing that only tests need, and builds; the next one has nothing to do or say', async () => {
    expect(await checkout.run('prepare.mjs')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual([FOR_START, 'run']);
    expect(await checkout.run('prepare.mjs')).toEqual({ code: 0, output: '' });
    expect(npmCalls()).toEqual([FOR_START, 'run']);
    expect(existsSync(join(checkout.root, 'dist/.preparing'))).toBe(false);
  });

  it('tests install everything at once, after which a start has nothing to do', async () => {
    expect(await checkout.run('prepare.mjs', 'test')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual(['ci', 'run']);
    expect(await checkout.run('prepare.mjs')).toEqual({ code: 0, output: '' });
    expect(await checkout.run('prepare.mjs', 'test')).toEqual({ code: 0, output: '' });
    expect(npmCalls()).toEqual(['ci', 'run']);
  });

  it('tests after a start add what it has not installed, and build nothing', async () => {
    await checkout.run('prepare.mjs');
    expect(await checkout.run('prepare.mjs', 'test')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual([FOR_START, 'run', 'install']);
  });

  it('a start keeps what tests need where it is there, also when the lockfile asks for something else', async () => {
    await checkout.run('prepare.mjs', 'test');
    checkout.write('package-lock.json', LOCKFILE.replaceAll('1.0.0', '1.0.1'));
    await checkout.run('prepare.mjs');
    expect(npmCalls()).toEqual(['ci', 'run', 'ci', 'run']);
  });

  it.each([
    'src/deep/main.ts',
    'src/deep',
    'gen/a_pb.ts',
    'scripts/bundle.mjs',
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ])('builds again when %s is newer than the build', async (path) => {
    await checkout.run('prepare.mjs');
    checkout.touch(path, 60);
    await checkout.run('prepare.mjs');
    expect(npmCalls()).toEqual([FOR_START, 'run', 'run']);
  });

  it('installs and builds again when the lockfile asks for another version or for one package more', async () => {
    await checkout.run('prepare.mjs');
    const newer = { ...PACKAGES, 'node_modules/b': { version: '1.0.1' } };
    checkout.write('package-lock.json', JSON.stringify({ packages: newer }));
    checkout.touch('package-lock.json', 60);
    await checkout.run('prepare.mjs');
    expect(npmCalls()).toEqual([FOR_START, 'run', FOR_START, 'run']);
    const more = {
      ...newer,
      '': { dependencies: { a: '1.0.0', d: '1.0.0' } },
      'node_modules/d': { version: '1.0.0' },
    };
    checkout.write('package-lock.json', JSON.stringify({ packages: more }));
    checkout.touch('package-lock.json', 120);
    await checkout.run('prepare.mjs');
    expect(npmCalls().slice(4)).toEqual(['install --workspaces=false', 'run']);
  });

  it('two at once wait for each other, and the second finds the work done', async () => {
    const both = await Promise.all([checkout.run('prepare.mjs'), checkout.run('prepare.mjs')]);
    expect(both.map((ended) => ended.code)).toEqual([0, 0]);
    expect(npmCalls()).toEqual([FOR_START, 'run']);
  });

  it('a start and tests at once take turns, and nothing is installed or built twice', async () => {
    const both = await Promise.all([checkout.run('prepare.mjs'), checkout.run('prepare.mjs', 'test')]);
    expect(both.map((ended) => ended.code)).toEqual([0, 0]);
    expect([
      [FOR_START, 'run', 'install'],
      ['ci', 'run'],
    ]).toContainEqual(npmCalls());
  });

  it('does not wait for a process that was killed long ago', async () => {
    mkdirSync(join(checkout.root, 'dist/.preparing'), { recursive: true });
    checkout.touch('dist/.preparing', -3600);
    expect(await checkout.run('prepare.mjs')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual([FOR_START, 'run']);
  });

  it('reports what failed, releases the lock and tries again the next time', async () => {
    checkout.write('broken', '');
    const failed = await checkout.run('prepare.mjs');
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining('Installing dependencies failed'),
    });
    expect(existsSync(join(checkout.root, 'dist/.preparing'))).toBe(false);
  });

  it('refuses a Node that is too old in one line', async () => {
    checkout.write('package.json', JSON.stringify({ engines: { node: '>=999.1.2' } }));
    const output = `Byway needs Node 999.1.2 or newer; this is ${process.version}.\n`;
    expect(await checkout.run('prepare.mjs')).toEqual({ code: 1, output });
  });

  function npmCalls(): string[] {
    return readFileSync(join(checkout.root, 'npm-calls'), 'utf8').trim().split('\n');
  }
});
