import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseUnusable } from '../unavailable.js';
import { Connection } from './connection/connection.js';
import { isBusy } from './connection/errors.js';
import { ensurePrivate } from './connection/private-files.js';

/** Allows one process only to serve from a SQLite file, until `release` or the end of the process, however it ends. */
export interface InstanceLock {
  release(): void;
}

/** The serving process, for the message to others. */
interface Instance {
  readonly pid: number;
  readonly host: string;
}

/**
 * Locks the SQLite file for the one process that serves from it, without blocking other users of the file. The lock is
 * SQLite's own, on an empty database `FILE.lock` beside it: it works wherever the file itself can be shared, also
 * between containers, and the operating system releases it with the process. `FILE.instance.json` names its owner.
 * Throws DatabaseUnusable at once when another process has the lock.
 */
export function lockFile(file: string): InstanceLock {
  const lock = `${file}.lock`;
  const instanceFile = `${file}.instance.json`;
  ensurePrivate(lock);
  const connection = new Connection(lock, 0);
  try {
    // Takes the exclusive lock without writing, and leaves no journal beside the file.
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN IMMEDIATE');
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new DatabaseUnusable(alreadyServing(file, readInstance(instanceFile))) : error;
  }
  writeInstance(instanceFile, { pid: process.pid, host: hostname() });
  return {
    release() {
      rmSync(instanceFile, { force: true });
      connection.close();
    },
  };
}

function alreadyServing(file: string, instance: Instance | undefined): string {
  const who = instance === undefined ? 'another process' : `process ${instance.pid} on ${instance.host}`;
  return `${who} serves from ${file} already; stop it first, or use PostgreSQL, from which several can serve`;
}

/** Atomic. */
function writeInstance(path: string, instance: Instance): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined when the file is not there (yet) or not readable. */
function readInstance(path: string): Instance | undefined {
  try {
    const { pid, host } = JSON.parse(readFileSync(path, 'utf8'));
    return { pid: Number(pid), host: String(host) };
  } catch {
    return undefined;
  }
}
