import { join } from 'node:path';
import { openSqliteFile } from '../../support/sqlite.js';
import { answerTo, type Bench, bearer } from '../bench.js';
import type { Measurement } from '../measurement.js';
import { runScript } from '../processes.js';
import { byokChat } from './byok.js';

const ENTRIES = 1_000_000;
const READS = 2_000;

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/**
 * How long it takes to read the record of a key with many entries of the ledger behind it, one read after the other.
 */
export async function measureKeyReads(bench: Bench): Promise<Measurement[]> {
  const few = await readKey(bench);
  await bench.stopServers();
  addEntries(join(bench.subject.dataDir, 'byway.db'));
  const many = await readKey(bench);
  return (['p50', 'p99'] as const).map((percentile) => ({
    title: `GET /keys/{hash} with ${ENTRIES.toLocaleString('en-US')} ledger entries behind it, ${percentile}`,
    unit: 'ms',
    byway: many[percentile],
    peer: few[percentile],
    peerIs: 'the same with few entries',
    errors: many.errors + few.errors,
  }));
}

async function readKey(bench: Bench): Promise<Latency> {
  const server = await bench.startByway();
  const { url: chatUrl, ...chat } = byokChat(server, bench.subject.apiKey);
  await answerTo(chatUrl, { method: chat.method, headers: chat.headers, body: String(chat.body) });
  const headers = bearer(bench.subject.managementKey);
  const keys = (await (await answerTo(`${server.url}/api/v1/keys`, { headers })).json()) as {
    data: readonly { hash: string }[];
  };
  const load = { url: `${server.url}/api/v1/keys/${keys.data[0]?.hash}`, method: 'GET', headers };
  await runScript('paced', { ...load, requests: READS });
  return runScript<Latency>('paced', { ...load, requests: READS });
}

/** Entries as a chat's, spread over 60 days. They are not added to the totals: reads don't depend on these. */
function addEntries(file: string): void {
  const database = openSqliteFile(file);
  database.exec('PRAGMA synchronous = OFF');
  database.exec(
    `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${ENTRIES})
      insert into ledger_entry
        (id, account_id, workspace_id, api_key_hash, user_id, byok_key_id, generation_id, kind, amount_nano_usd, created_at)
      select 'bench-' || n, account_id, workspace_id, api_key_hash, user_id, byok_key_id, null, kind, amount_nano_usd,
        created_at - n * 5184
      from number, (select * from ledger_entry where kind = 'byok_cost' limit 1)`,
  );
  database.close();
}
