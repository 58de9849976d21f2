import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseUnusable } from '../unavailable.js';
import { Connection } from './connection.js';
import { isBusy } from './errors.js';
import { ensurePrivate } from './private-files.js';

/** That one process alone serves from a SQLite file, until `release`, or until that process ends in whichever way. */
export interface InstanceLock {
  release(): void;
}

/** The process that serves, as it says itself. */
interface Instance {
  readonly pid: number;
  readonly host: string;
}

/**
 * Locks the SQLite file for the one process that serves from it; whoever else works on it is not held up. The lock is
 * SQLite's own, on an empty database `FILE.lock` beside it: so it holds wherever the file itself can be shared, between
 * containers too, and the system ends it with the process. Who has it is said in `FILE.instance.json`. Throws
 * DatabaseUnusable at once when another process has it.
 */
export function lockFile(file: string): InstanceLock {
  const lock = `${file}.lock`;
  const instanceFile = `${file}.instance.json`;
  ensurePrivate(lock);
  const connection = new Connection(lock, 0);
  try {
    // Writes nothing, and is to leave nothing beside the file: it only takes the one lock that nobody shares.
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

/** Whole or not at all. */
function writeInstance(path: string, instance: Instance): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined where it is not said (yet). */
function readInstance(path: string): Instance | undefined {
  try {
    const { pid, host } = JSON.parse(readFileSync(path, 'utf8'));
    return { pid: Number(pid), host: String(host) };
  } catch {
    return undefined;
  }
}
