import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type ChatContract, LENIENT_CHAT } from '../../src/catalog/chat-contract.js';
import { writeContract } from '../../src/catalog/native/contract-members.js';
import { COPY, type Fact } from '../../src/providers/openai/chat/contracts/fact.js';
import { CONTRACTS } from '../../src/providers/openai/chat/contracts.js';
import { inWords } from './contract-words.js';
import { readPage } from './pages.js';

const HOSTS = 'docs/providers/openai-compatible.md';
const CATALOG = 'docs/catalog.md';

/** All sources were looked up on this day. */
const SEEN = '2026-11-26';

it(`the facts about hosts are those of the code; UPDATE_GOLDEN=1 npx vitest run test/docs/contracts.test.ts writes them`, () => {
  expect(section(HOSTS, '## Contracts', hostsTable())).toBe(true);
});

it('the members of a contract are those of the code; UPDATE_GOLDEN=1 writes them', () => {
  expect(section(CATALOG, '## Contracts', membersTable())).toBe(true);
});

/** Whether the heading's section ends with the table; writes it where that is asked for. */
function section(path: string, heading: string, table: string): boolean {
  const { text } = readPage(path);
  const start = text.indexOf('\n| ', text.indexOf(`\n${heading}\n`)) + 1;
  const end = text.indexOf('\n\n', start);
  const found = text.slice(start, end === -1 ? undefined : end).trimEnd();
  if (process.env.UPDATE_GOLDEN === '1') {
    writeFileSync(path, `${text.slice(0, start)}${table}${end === -1 ? '\n' : text.slice(end)}`);
    return true;
  }
  return found === table;
}

function hostsTable(): string {
  const rows = new Map<string, string[]>();
  const add = (who: string, facts: readonly Fact[]) => {
    for (const { source, sure, rules } of facts.filter((one) => one !== COPY)) {
      const row = `${inWords(rules)} | ${sourceInWords(source)} | ${sure} |`;
      rows.set(row, [...(rows.get(row) ?? []), who]);
    }
  };
  for (const row of new Set(Object.values(CONTRACTS))) {
    const hosts = Object.entries(CONTRACTS).flatMap(([host, one]) => (one === row ? [`\`${host}\``] : []));
    add(hosts.join(', '), row.facts);
    for (const { models, facts } of row.models ?? []) add(`${hosts.join(', ')} (${models})`, facts);
  }
  const copiers = Object.entries(CONTRACTS).filter(([, { facts }]) => facts.includes(COPY));
  return [
    `| Host | Takes (${SEEN}) | Source | How sure |`,
    '|---|---|---|---|',
    `| ${copiers.map(([host]) => `\`${host}\``).join(', ')} | ${inWords(COPY.rules)} | ${sourceInWords(COPY.source)} | ${COPY.sure} |`,
    ...[...rows].map(([row, hosts]) => `| ${hosts.join(', ')} | ${row}`),
  ].join('\n');
}

function sourceInWords(source: string): string {
  const words = source.replaceAll(/https:\/\/[^\s;)]+/g, (url) => `<${url}>`);
  return words.replaceAll('|', '\\|');
}

/** What the docstrings say of each member, and what hosts have of which nothing is known. */
function membersTable(): string {
  const code = readFileSync('src/catalog/chat-contract.ts', 'utf8');
  const said = new Map(
    [
      ...code.matchAll(
        /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?: {2}readonly (\w+): .*|export const ([A-Z_]+) .*)/g,
      ),
    ].map(([, words = '', member, constant]) => [member ?? constant ?? '', plain(words)]),
  );
  const types = new Map(
    [...code.matchAll(/^ {2}readonly (\w+): (.*);$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const rows = Object.entries(LENIENT_CHAT).map(([member, value]) => {
    const type = types.get(member) ?? '';
    const constant = /typeof ([A-Z_]+)/.exec(type)?.[1] ?? '';
    const [name = ''] = Object.keys(writeContract({ [member]: value } as Partial<ChatContract>));
    const words = [said.get(member), valuesOf(constant, code), said.get(constant)].filter(Boolean).join(' ');
    return `| \`${name}\` | ${words} | \`${JSON.stringify(value)}\` |`;
  });
  return ['| Member | Meaning | Unknown hosts |', '|---|---|---|', ...rows].join('\n');
}

function valuesOf(constant: string, code: string): string {
  const list = new RegExp(`const ${constant} = \\[([^\\]]*)\\]`).exec(code)?.[1] ?? '';
  const values = [...list.matchAll(/'([^']+)'/g)].map(([, value]) => `\`${value}\``);
  return values.length === 0 ? '' : `One of ${values.join(', ')}.`;
}

function plain(words: string): string {
  return words
    .replaceAll(/\n \* ?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}
