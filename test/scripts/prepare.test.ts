import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Checkout } from './checkout.js';

const LOCKFILE = JSON.stringify({
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0', optional: true },
  },
});

/** A fake npm: changes the checkout slowly enough for another process to notice, and records its calls. */
const NPM = `#!/bin/sh
echo "$1" >> npm-calls
sleep 0.2
if [ "$1" = ci ]; then mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json; fi
if [ "$1" = run ] && [ ! -e broken ]; then mkdir -p dist && touch dist/.built; fi
test ! -e broken
`;

describe('npm start and npm test on a fresh clone need Node alone', () => {
  let checkout: Checkout;

  beforeEach(() => {
    checkout = new Checkout(['prepare.mjs'], {
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

  it('installs and builds once, then has nothing to do or say', async () => {
    expect(await checkout.run('prepare.mjs')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual(['ci', 'run']);
    expect(await checkout.run('prepare.mjs')).toEqual({ code: 0, output: '' });
    expect(npmCalls()).toEqual(['ci', 'run']);
    expect(existsSync(join(checkout.root, 'dist/.preparing'))).toBe(false);
  });

  it.each(['src/deep/main.ts', 'src/deep', 'gen/a_pb.ts', 'tsconfig.json', 'package.json'])(
    'builds again when %s is newer than the build',
    async (path) => {
      await checkout.run('prepare.mjs');
      checkout.touch(path, 60);
      await checkout.run('prepare.mjs');
      expect(npmCalls()).toEqual(['ci', 'run', 'run']);
    },
  );

  it('installs again when the lockfile has other packages, not when only its time has changed', async () => {
    await checkout.run('prepare.mjs');
    checkout.touch('package-lock.json', 60);
    await checkout.run('prepare.mjs');
    expect(npmCalls()).toEqual(['ci', 'run']);
    checkout.write('package-lock.json', LOCKFILE.replace('1.0.0', '1.0.1'));
    checkout.touch('package-lock.json', 60);
    await checkout.run('prepare.mjs');
    expect(npmCalls()).toEqual(['ci', 'run', 'ci']);
  });

  it('two at once wait for each other, and the second finds the work done', async () => {
    const both = await Promise.all([checkout.run('prepare.mjs'), checkout.run('prepare.mjs')]);
    expect(both.map((ended) => ended.code)).toEqual([0, 0]);
    expect(npmCalls()).toEqual(['ci', 'run']);
  });

  it('does not wait for a process that was killed long ago', async () => {
    mkdirSync(join(checkout.root, 'dist/.preparing'), { recursive: true });
    checkout.touch('dist/.preparing', -3600);
    expect(await checkout.run('prepare.mjs')).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual(['ci', 'run']);
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
