import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench.js';
import { bearer, JSON_BODY } from '../bench.js';
import { BYOK_MODEL, catalogOf } from '../catalog.js';
import type { Measurement } from '../measurement.js';
import { runScript, type Server, startProvider } from '../processes.js';
import { MODEL_COUNT } from '../subject.js';
import { byokChat } from './byok.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));

/** What the hostile tenant sends, alone and together. */
const KINDS = {
  'streams that take all places': ['streams'],
  'exports in a loop': ['exports'],
  'bodies of 30 MB': ['bodies'],
  'refused requests': ['refused'],
  'counts of prompts': ['counts'],
  'all of them at once': ['streams', 'exports', 'bodies', 'refused', 'counts'],
} as const;

/** Streams of the provider last longer than a measurement. */
const SLOW_PIECES = { count: 60, perSecond: 1 };

const PER_SECOND = 20;
const SECONDS = 8;

/** How long the hostile tenant sends before the ordinary one is measured: until all its streams have begun. */
const LEAD_MS = 10_000;

/** The chats of an ordinary tenant beside a hostile one, at a fixed rate, and alone. */
export async function measureTenants(bench: Bench): Promise<Measurement[]> {
  const { subject } = bench;
  const slow = await startProvider('openai', { pieces: SLOW_PIECES });
  const BYWAY_CATALOG = bench.write('slow-catalog.json', catalogOf(MODEL_COUNT, slow.url));
  const server = await bench.startByway([], { BYWAY_CATALOG });
  const ordinary = await addTenant(server, subject.dataDir);
  await chatsOf(server, ordinary);
  const alone = await chatsOf(server, ordinary);
  const measured: Measurement[] = [];
  for (const [name, kinds] of Object.entries(KINDS)) {
    const hostile = runScript<object>('hostile', {
      ...{ url: server.url, apiKey: subject.apiKey, managementKey: subject.managementKey },
      ...{ model: BYOK_MODEL, kinds, seconds: SECONDS + LEAD_MS / 1000 },
    });
    await new Promise((resolve) => setTimeout(resolve, LEAD_MS));
    const beside = await chatsOf(server, ordinary);
    process.stderr.write(`${name}: ${JSON.stringify(await hostile)}\n`);
    for (const percentile of ['p50', 'p99'] as const) {
      measured.push({
        title: `Chats of a tenant beside another one's ${name}, ${percentile}`,
        unit: 'ms',
        byway: beside[percentile],
        peer: alone[percentile],
        peerIs: 'the same tenant alone',
        errors: beside.errors,
      });
    }
  }
  await slow.stop();
  return measured;
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

function chatsOf(server: Server, apiKey: string): Promise<Latency> {
  const { url, method, headers, body } = byokChat(server, apiKey);
  const size = { perSecond: PER_SECOND, requests: PER_SECOND * SECONDS };
  return runScript<Latency>('paced', { url, method, headers, body, ...size });
}

/** Another account with a BYOK key for the provider; its API key. */
async function addTenant(server: Server, dataDir: string): Promise<string> {
  const args = [PROGRAM, 'account', 'create', '--name', 'Ordinary', '--credits', '10'];
  const env = { ...process.env, BYWAY_DATA_DIR: dataDir };
  const printed = execFileSync(process.execPath, args, { env, encoding: 'utf8' });
  const [managementKey = ''] = /bw-mgmt-[0-9a-f]{64}/.exec(printed) ?? [];
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { ...bearer(managementKey), ...JSON_BODY };
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
  await post('/byok', { provider: 'openai', key: 'sk-bench-0123456789abcdefghijkl' });
  return String((await post('/keys', { name: 'ordinary' })).key);
}
