import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ENGINES = 'src/store/engine';

/** What one of the engines has alone. A folder stands for all of its files. */
const ALONE: Readonly<Record<'sqlite' | 'postgres', readonly string[]>> = {
  sqlite: [
    // A file: one process has it, copies it and makes it smaller.
    'backup.ts',
    'connection/connection.ts',
    'connection/private-files.ts',
    'exclusive.ts',
    'free-space.ts',
    'instance-lock.ts',
    // Its driver is synchronous: one writer after the other, and threads for what takes long.
    'mutex.ts',
    'quiet.ts',
    'threads',
  ],
  postgres: [
    // A server: sessions that a pool keeps, that have to be opened, and that get lost.
    'connection/channel-binding.ts',
    'connection/connections.ts',
    'connection/passfile.ts',
    'connection/pooler.ts',
    'connection/rows.ts',
    'connection/server.ts',
    'connection/session-pool.ts',
    'connection/tls.ts',
    'connection/words.ts',
    'sessions.ts',
    'statements.ts',
    // Many processes: they lock, lease, listen, count calls and tell the time together.
    'connection/locks.ts',
    'leases.ts',
    'listener.ts',
    'locked-transaction.ts',
    'optimistic-write.ts',
    'rate-limit.ts',
    'server-clock.ts',
    'partitions',
  ],
};

describe('the engines', () => {
  it('have the same file names for the same jobs', () => {
    expect(unmatched(filesOf('sqlite'), filesOf('postgres'))).toEqual([]);
  });

  it('have what is listed as the own of one', () => {
    for (const [engine, alone] of Object.entries(ALONE)) {
      expect(alone.filter((path) => !existsSync(join(ENGINES, engine, path)))).toEqual([]);
    }
  });

  it('are told apart where a file has no counterpart, or is listed though it has one', () => {
    expect(unmatched(['driver.ts', 'room.ts'], ['driver.ts', 'write-check.ts'])).toEqual([
      'sqlite/room.ts has no counterpart: name it as that of postgres, or list it as what only sqlite has',
      'postgres/write-check.ts has no counterpart: name it as that of sqlite, or list it as what only postgres has',
    ]);
    expect(unmatched(['mutex.ts', 'threads/a.ts'], ['mutex.ts'])).toEqual([
      'sqlite/mutex.ts has a counterpart, and is listed as what only sqlite has',
    ]);
  });
});

function unmatched(sqlite: readonly string[], postgres: readonly string[]): string[] {
  return [
    ...faultsOf('sqlite', sqlite, 'postgres', postgres),
    ...faultsOf('postgres', postgres, 'sqlite', sqlite),
  ];
}

function faultsOf(
  engine: keyof typeof ALONE,
  files: readonly string[],
  other: string,
  others: readonly string[],
): string[] {
  return files.flatMap((file) => {
    const isAlone = ALONE[engine].some((path) => file === path || file.startsWith(`${path}/`));
    const isMatched = others.includes(file);
    if (isAlone && isMatched)
      return [`${engine}/${file} has a counterpart, and is listed as what only ${engine} has`];
    if (isAlone || isMatched) return [];
    return [
      `${engine}/${file} has no counterpart: name it as that of ${other}, or list it as what only ${engine} has`,
    ];
  });
}

function filesOf(engine: string): string[] {
  return readdirSync(join(ENGINES, engine), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(join(ENGINES, engine).length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}
