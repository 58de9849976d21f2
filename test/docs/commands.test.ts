import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Page, readPages } from './pages.js';

/** What a reader of these has installed is what `npm start` installs; the others begin with `npm ci`. */
const OF_CONTRIBUTORS = ['CONTRIBUTING.md', 'test/README.md', 'docs/providers/README.md'];

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const DIRECT = Object.keys({ ...dependencies, ...devDependencies });

describe('no command of the documentation can be answered by a stranger:', () => {
  it('npx names what is installed, or a package of a scope in a version, and npm installs versions', () => {
    expect(readPages().filter(isOfToday).flatMap(strangers)).toEqual([]);
  });

  it.each([
    ['npx buf curl', 'a package of this name is not Buf’s'],
    ['npx byway doctor', 'nobody has published it'],
    ['npx --yes cowsay', 'it is installed nowhere'],
    ['npx vitest run', '`npm start` does not install it'],
    ['npx --package buf@1.0.0 buf', 'the package has no scope'],
    ['npx --package @bufbuild/buf buf', 'any later version would run'],
    ['npm exec buf', 'npm exec is npx'],
    ['npm install openai', 'any later version would run'],
    ['npm i -g byway', 'nobody has published it'],
    ['pnpm dlx byway', 'nobody has published it'],
    ['docker run byway', 'nobody has published it, so that Docker asks its hub for `library/byway`'],
    ['helm install byway byway/byway', 'no repository of ours has it'],
  ])('the guard notices %s: %s', (command) => {
    expect(strangers({ path: 'docs/page.md', text: `\`\`\`sh\n${command}\n\`\`\`` })).toHaveLength(1);
    expect(strangers({ path: 'docs/page.md', text: `Run \`${command}\`.` })).toHaveLength(1);
  });

  it.each([
    'npx --no byway doctor',
    'npx --yes --package @bufbuild/buf@1.75.0 buf curl',
    'npx vite build src/dashboard',
    'npm install ./byway-0.1.0.tgz',
    'npm install openai@6.49.0',
    'npm run -s byway -- doctor',
    'docker build -f deploy/Dockerfile -t byway .',
    'helm install byway deploy/chart --set image.repository=REGISTRY/byway',
  ])('and lets pass: %s', (command) => {
    expect(strangers({ path: 'docs/page.md', text: `\`\`\`sh\n${command}\n\`\`\`` })).toEqual([]);
  });

  it('contributors have the tools of the tests', () => {
    expect(strangers({ path: 'CONTRIBUTING.md', text: '`npx vitest run`' })).toEqual([]);
    expect(strangers({ path: 'CONTRIBUTING.md', text: '`npx tsc`' })).toHaveLength(1);
  });
});

/** What tells of the past may name what is gone. */
function isOfToday({ path }: Page): boolean {
  return path !== 'CHANGELOG.md';
}

/** Every command of a page that asks a registry for what none of us has put there. */
function strangers(page: Page): string[] {
  const commands = codeOf(page).flatMap(({ line, text }) =>
    text.split(/&&|\|\||[;|]|\$\(/).map((command) => ({ line, words: command.trim().split(/\s+/) })),
  );
  return commands
    .filter(({ words }) => asksStranger(withoutVariables(words), OF_CONTRIBUTORS.includes(page.path)))
    .map(({ line, words }) => `${page.path}:${line} ${words.join(' ')}`);
}

/** The lines of fenced code, and code spans. */
function codeOf({ text }: Page): { line: number; text: string }[] {
  let isCode = false;
  return text.split('\n').flatMap((one, index) => {
    if (/^\s*```/.test(one)) {
      isCode = !isCode;
      return [];
    }
    const spans = isCode ? [one] : [...one.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    return spans.map((span) => ({ line: index + 1, text: span }));
  });
}

function withoutVariables(words: readonly string[]): readonly string[] {
  return words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)));
}

function asksStranger([program = '', ...words]: readonly string[], isContributor: boolean): boolean {
  const [first = '', ...rest] = words;
  switch (program) {
    case 'npx':
      return words.length > 0 && runsStranger(words, isContributor);
    case 'npm':
      if (['exec', 'x'].includes(first)) return runsStranger(rest, isContributor);
      return ['install', 'i', 'add'].includes(first) && operands(rest).some((name) => !isPinned(name));
    case 'pnpm':
    case 'yarn':
    case 'bunx':
      return true;
    case 'docker':
      return ['run', 'pull'].includes(first) && words.includes('byway');
    case 'helm':
      return first === 'install' && !words.includes('deploy/chart');
    default:
      return false;
  }
}

function runsStranger(words: readonly string[], isContributor: boolean): boolean {
  // npm then refuses what is not installed.
  if (words.includes('--no')) return false;
  const at = words.findIndex((word) => word === '--package' || word === '-p');
  const named = at < 0 ? undefined : words[at + 1];
  if (named !== undefined) return !(named.startsWith('@') && isPinned(named));
  const name = operands(words)[0] ?? '';
  return !(name.startsWith('@') && isPinned(name)) && !isInstalled(name, isContributor);
}

/** Whether the program is one of the package of its name, so that npx, where it is not there, asks for the right one. */
function isInstalled(name: string, isContributor: boolean): boolean {
  const locked = packages[`node_modules/${name}`];
  return locked?.bin !== undefined && (isContributor || DIRECT.includes(name));
}

/** With a whole version, or a file. */
function isPinned(name: string): boolean {
  return /^\.{0,2}\//.test(name) || /.@\d+\.\d+\.\d+$/.test(name);
}

function operands(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'));
}
