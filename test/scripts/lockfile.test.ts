import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);

/** Tools that nobody serves with: their binaries for platforms that the tests do not run on. */
const OTHER_PLATFORMS =
  /^node_modules\/(?:@biomejs\/cli|@bufbuild\/buf|@oxc-parser\/binding)-(?!linux-x64(?:-gnu)?$)/;

it('every package of the lockfile has an integrity, but for development tools of other platforms', () => {
  const without = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without.map(([path]) => path).filter((path) => !OTHER_PLATFORMS.test(path))).toEqual([]);
});

it('no registry is named in it', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
