/** SIGTERM to the built program under a hundred streams over every transport: what each client sees, what each record says. */
import { describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import {
  CALLS,
  type Came,
  type Sent,
  TRANSPORTS,
  type Transport,
  VERSIONS,
} from '../../support/clients/calls.js';
import { toldBy } from '../../support/clients/told.js';
import { emptyDatabaseUrl, usualKind } from '../../support/database.js';
import { caller, type Row, rowsOf } from '../../support/rest.js';
import { type ServingProcess, serveFrom, temporaryDataDir } from '../serving.js';

/** `STOP_STREAM_SECONDS=20` makes the streams that long, and prints the figures. */
const STREAM_MS = 1_000 * Number(process.env.STOP_STREAM_SECONDS ?? 6);
const CLIENTS = 100;

/** Words of the demo's answer to the calls. */
const WORDS = 12;

/** What `MAX_AFTER_DRAIN_MS` promises, and the time of an exit on a busy machine. */
const MAX_AFTER_MS = 5_000 + 1_500;

const CATALOG = {
  providers: [demoProvider('demo')],
  models: [
    demoModel('test/m', [
      {
        provider: 'demo',
        upstream_model_id: `slow-${Math.round(STREAM_MS / WORDS)}`,
        pricing: { prompt: '0.000001', completion: '0.00001' },
      },
    ]),
  ],
};

interface Stopped {
  readonly exitCode: number | null;
  /** From the signal to the exit. */
  readonly ms: number;
  readonly came: readonly { readonly transport: Transport; readonly came: Came }[];
  readonly records: readonly Row[];
}

/** Stops a gateway that sends the streams, and reads what the next one has on record. */
async function stopUnderStreams(
  drainMs: number,
  more: Readonly<Record<string, string>> = {},
): Promise<Stopped> {
  const dataDir = temporaryDataDir();
  const env = { BYWAY_DRAIN_MS: String(drainMs), ...more };
  const databaseUrl = more.BYWAY_DATABASE_URL;
  const options = { catalog: CATALOG, env, ...(databaseUrl !== undefined && { databaseUrl }) };
  const serving = await serveFrom(dataDir, options);
  const { apiKey, managementKey } = await serving.keys;
  const sent = Array.from({ length: CLIENTS }, (_, index) => {
    const transport = TRANSPORTS[index % TRANSPORTS.length] as Transport;
    return { transport, sent: begin(serving, transport, apiKey) };
  });
  await Promise.all(sent.map(({ sent }) => sent.begun));
  const from = performance.now();
  const exitCode = await serving.stop();
  const ms = Math.round(performance.now() - from);
  const came = await Promise.all(
    sent.map(async ({ transport, sent }) => ({ transport, came: await sent.came })),
  );
  const next = await serveFrom(dataDir, { ...options, databaseUrl: serving.databaseUrl });
  const records = rowsOf(await caller(next, managementKey)('GET', `/generations?limit=${CLIENTS}`));
  await next.stop();
  return { exitCode, ms, came, records };
}

function begin({ rest }: ServingProcess, transport: Transport, apiKey: string): Sent {
  const send = VERSIONS[transport === 'gRPC' ? 'HTTP/2' : 'HTTP/1.1'];
  return send(new URL(rest), CALLS[transport](true), apiKey);
}

/** How many ended in each way. */
function counted(ends: readonly unknown[]): Record<string, number> {
  const texts = ends.map((end) => JSON.stringify(end));
  return Object.fromEntries(
    [...new Set(texts)].sort().map((text) => [text, texts.filter((one) => one === text).length]),
  );
}

function recordedEnd({ status, reason, cancelled, finish_reason, provider_responses, usage }: Row) {
  const { error = null } = (provider_responses as Row[]).at(-1) ?? {};
  return { status, reason, cancelled, finish_reason, error, isCharged: Number(usage) > 0 };
}

function report(drainMs: number, { ms, exitCode, came, records }: Stopped, heard: readonly unknown[]): void {
  if (process.env.STOP_STREAM_SECONDS === undefined) return;
  const figures = {
    drainMs,
    ms,
    exitCode,
    clients: counted(heard),
    records: counted(records.map(recordedEnd)),
  };
  process.stderr.write(`${came.length} streams of ${STREAM_MS} ms: ${JSON.stringify(figures, null, 2)}\n`);
}

const SHORT_MS = STREAM_MS / 4;
const LONG_MS = 1.25 * STREAM_MS;
const LIMIT_MS = 60_000 + 4 * STREAM_MS;

const FAILED = { status: 'failed', reason: 'shutting_down' };

async function expectTold(stopped: Stopped): Promise<void> {
  const heard = stopped.came.map(({ transport, came }) => ({ transport, ...toldBy(transport, true, came) }));
  report(SHORT_MS, stopped, heard);
  expect(stopped.exitCode).toBe(0);
  expect(stopped.ms).toBeGreaterThan(SHORT_MS - 50);
  expect(stopped.ms).toBeLessThan(SHORT_MS + MAX_AFTER_MS);
  expect(counted(heard.map(({ reason }) => reason))).toEqual({ '"shutting_down"': CLIENTS });
  expect(counted(stopped.records.map(recordedEnd))).toEqual({
    [JSON.stringify({
      ...FAILED,
      cancelled: false,
      finish_reason: 'error',
      error: 'shutting_down',
      isCharged: true,
    })]: CLIENTS,
  });
}

describe('SIGTERM under a hundred streams', () => {
  it(
    'tells each that the gateway shuts down where BYWAY_DRAIN_MS is shorter than they are, records it and charges what had come',
    async () => expectTold(await stopUnderStreams(SHORT_MS)),
    LIMIT_MS,
  );

  it(
    'lets each of them finish where BYWAY_DRAIN_MS is longer',
    async () => {
      const stopped = await stopUnderStreams(LONG_MS);
      const heard = stopped.came.map(({ transport, came: { status, isWhole, text } }) => ({
        ...{ transport, status, isWhole },
        isComplete: /works\./.test(text),
      }));
      report(LONG_MS, stopped, heard);
      expect(stopped.exitCode).toBe(0);
      expect(stopped.ms).toBeLessThan(LONG_MS);
      expect(
        heard.filter(({ status, isWhole, isComplete }) => status !== 200 || !isWhole || !isComplete),
      ).toEqual([]);
      expect(counted(stopped.records.map(recordedEnd))).toEqual({
        [JSON.stringify({
          status: 'ok',
          reason: null,
          cancelled: false,
          finish_reason: 'stop',
          error: null,
          isCharged: true,
        })]: CLIENTS,
      });
    },
    LIMIT_MS,
  );

  it.runIf(usualKind() === 'postgres')(
    'does the same with workers',
    async () => {
      const workers = { BYWAY_DATABASE_URL: await emptyDatabaseUrl('postgres'), BYWAY_WORKERS: '2' };
      await expectTold(await stopUnderStreams(SHORT_MS, workers));
    },
    LIMIT_MS,
  );
});
