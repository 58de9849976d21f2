import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { createByway } from '../../src/client/index.js';
import { clientNames } from './matrix/byway-call.js';

const CONTRACT = 'gen/byway/v1';

it('the typed client has a name for every method of every service of the contract, and no method has two', async () => {
  const methods = (await services()).flatMap((service) => service.methods);
  expect(methods.length).toBeGreaterThan(50);
  expect(named(clientNames().keys())).toEqual(named(methods));
  const names = Object.values(createByway(NOWHERE)).flatMap((group) => Object.keys(group));
  expect(names).toHaveLength(methods.length);
});

it('the documentation has all of them; UPDATE_GOLDEN=1 writes the table anew', () => {
  const groups = Object.entries(createByway(NOWHERE)).sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = groups.map(([member, methods]) => {
    const names = Object.keys(methods).map((name) => `\`${name}\``);
    return `| \`${member}\` | ${names.join(', ')} |\n`;
  });
  const written = readFileSync(PAGE, 'utf8').replace(TABLE, () => `${HEAD}${rows.join('')}`);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, written);
  expect(readFileSync(PAGE, 'utf8')).toBe(written);
  expect(written).toContain(HEAD);
});

const PAGE = 'docs/compatibility.md';
const HEAD = '| Member | Methods |\n|---|---|\n';
const TABLE = /\| Member \| Methods \|\n(?:\|.*\n)+/;

const NOWHERE: Transport = {
  unary: () => Promise.reject(new Error('nothing is called')),
  stream: () => Promise.reject(new Error('nothing is called')),
};

/** Those that the generated files have, whether the gateway serves them or not. */
async function services(): Promise<readonly DescService[]> {
  const paths = readdirSync(CONTRACT).map((file) => `../../${CONTRACT}/${file.replace(/\.ts$/, '.js')}`);
  const modules = await Promise.all(paths.map((path) => import(path)));
  return modules.flatMap((module) => Object.values<{ kind?: string }>(module).filter(isService));
}

function isService(one: { kind?: string }): one is DescService {
  return one.kind === 'service';
}

function named(methods: Iterable<DescMethod>): string[] {
  return [...methods].map(({ parent, name }) => `${parent.typeName}.${name}`).sort();
}
