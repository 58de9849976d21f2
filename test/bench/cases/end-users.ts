import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, bearer, JSON_BODY } from '../bench.js';
import { type Load, send } from '../load.js';
import type { Measurement } from '../measurement.js';
import type { Server } from '../processes.js';
import { prepareSubject, type Subject, startSubject } from '../subject.js';
import { shortChat } from './chat.js';

const END_USERS = 100_000;
/** After all of them have been seen. */
const MEASURED = 20_000;
const MIB = 1024 * 1024;

interface Used {
  readonly micros: number;
  readonly mebibytes: number;
  readonly errors: number;
}

/** What requests cost behind a key with 100,000 end users, each with a limit, and behind one with a single one. */
export async function measureEndUsers(bench: Bench): Promise<Measurement[]> {
  const many = await usedBy(bench, 'many', 'user {n}');
  const one = await usedBy(bench, 'one', 'user one');
  const peerIs = 'a single end user';
  const compared = (title: string, unit: 'us' | 'MiB', of: 'micros' | 'mebibytes') => ({
    title: `${title}, ${END_USERS} end users`,
    ...{ unit, byway: many[of], peer: one[of], peerIs, errors: many.errors + one.errors },
  });
  return [
    compared('Processor time of a chat', 'us', 'micros'),
    compared('Resident memory', 'MiB', 'mebibytes'),
  ];
}

async function usedBy(bench: Bench, folder: string, user: string): Promise<Used> {
  const dataDir = join(bench.folder, folder);
  mkdirSync(dataDir);
  const subject = await prepareSubject(dataDir);
  const server = await startSubject(subject);
  await limitEndUsers(server, subject);
  const load = chatFor(server, subject, user);
  const seen = await send(load, { requests: END_USERS });
  const before = server.cpuMs() ?? Number.NaN;
  const measured = await send(load, { requests: MEASURED });
  const micros = (((server.cpuMs() ?? Number.NaN) - before) * 1_000) / measured.requests;
  const mebibytes = (server.residentBytes() ?? Number.NaN) / MIB;
  await Promise.all([server.stop(), subject.provider.stop()]);
  return { micros, mebibytes, errors: seen.errors + measured.errors };
}

function chatFor(server: Server, { apiKey }: Subject, user: string): Load {
  const chat = shortChat(server, apiKey);
  return { ...chat, body: JSON.stringify({ ...JSON.parse(String(chat.body)), user }) };
}

async function limitEndUsers({ url }: Server, { apiKey, managementKey }: Subject): Promise<void> {
  const hash = createHash('sha256').update(apiKey).digest('hex');
  const answer = await fetch(`${url}/api/v1/keys/${hash}`, {
    method: 'PATCH',
    headers: { ...bearer(managementKey), ...JSON_BODY },
    body: JSON.stringify({ end_user_limit: 1_000_000 }),
  });
  if (!answer.ok) throw new Error(`the limit was not taken: ${await answer.text()}`);
}
