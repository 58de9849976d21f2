import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, Entry>>;
};
/** What comes from a registry: neither the program itself nor its workspace. */
const entries = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
);

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

it('a start installs nothing that tests name: no linter, browser, test runner, generator or peer', () => {
  const { '': program, test } = packages;
  const needed = new Set<string>();
  const queue = [...Object.keys({ ...program?.dependencies, ...program?.devDependencies })].map((name) =>
    pathOf(name, ''),
  );
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    queue.push(...namesNeededBy(packages[path] ?? {}).map((name) => pathOf(name, `${path}/`)));
  }
  expect(needed.size).toBeGreaterThan(100);
  const tools = Object.keys(test?.devDependencies ?? {}).map((name) => `node_modules/${name}`);
  expect(tools).toContain('node_modules/vitest');
  expect(tools.filter((path) => needed.has(path))).toEqual([]);
  expect(needed.size).toBeLessThan(entries.length / 2);
});

function namesNeededBy(entry: Entry): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Where the package is that a module finds below this path, as Node looks for it. */
function pathOf(name: string, from: string): string {
  const path = `${from}node_modules/${name}`;
  if (path in packages || from === '') return path;
  const above = from.lastIndexOf('node_modules/');
  return pathOf(name, from.slice(0, above));
}
