import { posix } from 'node:path';
import { importsOf } from './arrows.js';
import type { SourceFile } from './sources.js';

/** What puts a test file into a project of vitest.config.ts: modules that it imports, and words that it says. */
interface Reason {
  readonly imports: RegExp;
  readonly words: RegExp;
}

/** A program beside Node. */
const PEERS: Reason = {
  imports:
    /^test\/(?:support\/(?:postgres\/(?!pgbouncer)|fronts\/|squid|peer-process)|dashboard\/support\/browser)/,
  words: /\(\s*'(?:curl|python3)',/,
};

/** Tests that a script runs with the program that it has installed. */
const OF_SCRIPTS = /^test\/(?:clients|gcs|helm|litellm|local-server|toxiproxy)\//;

/** The built server, as a process of its own. */
const SYSTEM: Reason = {
  imports: /^test\/(?:support\/(?:server-process|small-server|small-disk|memory-limit)|endpoint\/serving)/,
  words: /\b(?:spawnB|b)yway\(\s*\[\s*'serve'/,
};

/** A command that is not let end by itself. */
const INTERRUPTS = /\bspawnByway\(/;

/** A database of PostgreSQL, whatever the test run is on. */
const ASKS_FOR_POSTGRES = /(?:Url|Database)\('postgres'\)/;

/** Why the test file, among all files of test, belongs elsewhere; undefined where it does not. */
export function misplaced(file: SourceFile, all: ReadonlyMap<string, SourceFile>): string | undefined {
  const [, project = 'node'] = /\.(load|peers|system)\.test\.ts$/.exec(file.path) ?? [];
  const files = [...belowOf(file, all)];
  const has = ({ imports, words }: Reason) =>
    files.some((one) => words.test(one.text) || targetsOf(one).some((target) => imports.test(target)));
  const isGuarded = file.text.includes("usualKind() === 'postgres'");
  const asks = ASKS_FOR_POSTGRES.test(file.text) && !isGuarded;
  const needsPeers = has(PEERS) || asks || OF_SCRIPTS.test(file.path);
  if (project === 'peers') return needsPeers ? undefined : 'needs Node alone: no .peers.test.ts';
  if (needsPeers) return 'needs a program beside Node: .peers.test.ts';
  const servesOrInterrupts = has(SYSTEM) || INTERRUPTS.test(file.text);
  if (project === 'system') return servesOrInterrupts ? undefined : 'starts no server: no .system.test.ts';
  return has(SYSTEM) ? 'starts a server: .system.test.ts' : undefined;
}

/** The file and the helpers beside tests that it imports; what test/support has is known by its name. */
function belowOf(file: SourceFile, all: ReadonlyMap<string, SourceFile>): ReadonlySet<SourceFile> {
  const found = new Set([file]);
  for (const one of found) {
    for (const target of targetsOf(one)) {
      const imported = all.get(target);
      if (imported !== undefined && !target.startsWith('test/support/')) found.add(imported);
    }
  }
  return found;
}

function targetsOf(file: SourceFile): string[] {
  return importsOf(file).map(({ specifier }) =>
    posix.join(posix.dirname(file.path), specifier.replace(/\.js$/, '.ts')),
  );
}
