import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import type { Command } from 'commander';
import {
  type Batch,
  BatchSchema,
  BatchStatus,
  GetBatchResponseSchema,
  StreamBatchResultsResponseSchema,
} from '../../gen/byway/v1/batches_pb.js';
import { Problem } from '../base/problem.js';
import { createByway } from '../client/index.js';
import type { Gateway } from '../compose/gateway.js';
import { writeMessage } from '../protobuf/write.js';
import { lookUpBatch, lookUpByokKey, lookUpKey } from '../store/tables/operator-lookups.js';
import { aligned, type Outcome, report } from './output/outcome.js';
import { Progress } from './output/progress.js';
import { printable } from './output/table.js';
import { type BatchOptions, readBatch } from './support/batch-file.js';
import type { CommandLine, Terminal } from './support/command-line.js';
import { accountOf, callAs, operatorOf } from './support/operator.js';
import { readNamedFile } from './support/read-file.js';
import { withGateway } from './support/with-gateway.js';

interface SubmitOptions extends BatchOptions {
  readonly account?: string;
}

/** How often a watched batch is read. */
const POLL_INTERVAL_MS = 2000;

/** `byway batch submit|watch|results`. */
export function addBatchCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('batch');
  group
    .command('submit <file>')
    .description('submit the requests of a file: the body of POST /batches, or JSON lines')
    .option('--model <model>', 'the model, where the file names none')
    .option('--account <id>', 'the account (default: that of the keys named, else the oldest)')
    .option('--byok-key <id>', 'the BYOK key to use')
    .option('--key <hash>', 'the API key that the usage counts for')
    .action(async (file: string, options: SubmitOptions) => print(await submit(terminal, file, options)));
  group
    .command('watch <id>')
    .description('wait until a batch has ended')
    .action(async (id: string) => print(await watch(terminal, id)));
  group
    .command('results <id>')
    .description('print the results of a batch that has ended, as JSON lines')
    .action((id: string) => results(terminal, id, program.opts<{ json?: true }>().json === true));
}

async function submit(terminal: Terminal, file: string, options: SubmitOptions): Promise<Outcome> {
  const request = readBatch(await readNamedFile(file), options);
  return withGateway(terminal, async (gateway) => {
    const caller = await callerFor(gateway, await accountFor(gateway, options));
    const { data } = await createByway(gateway.transport).batches.create(request, caller);
    return outcomeOf(data ?? create(BatchSchema));
  });
}

/** Fails when the batch has failed or was cancelled. */
function watch(terminal: Terminal, id: string): Promise<Outcome> {
  return withGateway(terminal, async (gateway) => {
    const caller = await callerOf(gateway, id);
    const { batches } = createByway(gateway.transport);
    const progress = new Progress(terminal.stderr);
    for (;;) {
      const { data = create(BatchSchema) } = await batches.get({ id }, caller);
      const { total = 0, completed = 0, failed = 0 } = data.requestCounts ?? {};
      progress.show(completed + failed, total, statusOf(data));
      if (ENDED.has(data.status)) {
        progress.end();
        return outcomeOf(data, data.status !== BatchStatus.COMPLETED);
      }
      await sleep(POLL_INTERVAL_MS);
    }
  });
}

/** Writes results as they arrive: they may not fit into memory. */
function results({ stdout, ...terminal }: Terminal, id: string, isJson: boolean): Promise<void> {
  return withGateway({ stdout, ...terminal }, async (gateway) => {
    const caller = await callerOf(gateway, id);
    let count = 0;
    for await (const result of createByway(gateway.transport).batches.results({ id }, caller)) {
      const text = JSON.stringify(writeMessage(StreamBatchResultsResponseSchema, result));
      if (isJson) stdout.write(`${count === 0 ? '{"data":[' : ','}${text}`);
      else stdout.write(`${text}\n`);
      count += 1;
    }
    if (isJson) stdout.write(`${count === 0 ? '{"data":[' : ''}]}\n`);
  });
}

const ENDED: ReadonlySet<BatchStatus> = new Set([
  BatchStatus.COMPLETED,
  BatchStatus.FAILED,
  BatchStatus.CANCELLED,
]);

async function callerOf(gateway: Gateway, id: string): Promise<CallOptions> {
  const accountId = await lookUpBatch(gateway.database, id);
  if (accountId === undefined) throw new Problem('not_found', `there is no batch ${id}`);
  return callerFor(gateway, accountId);
}

async function callerFor(gateway: Gateway, accountId: string): Promise<CallOptions> {
  return callAs(operatorOf(await accountOf(gateway, accountId)));
}

async function accountFor({ database }: Gateway, { account, key, byokKey }: SubmitOptions): Promise<string> {
  if (account !== undefined) return account;
  const named =
    byokKey !== undefined && key === undefined
      ? await lookUpByokKey(database, byokKey)
      : await lookUpKey(database, key ?? null);
  if (named === undefined) throw new Problem('not_found', 'no account has such a key; --account names one');
  return named.accountId;
}

function outcomeOf(batch: Batch, hasFailed = false): Outcome {
  const { total = 0, completed = 0, failed = 0 } = batch.requestCounts ?? {};
  const lines = aligned([
    ['batch', batch.id],
    ['status', statusOf(batch)],
    ['requests', `${total}, ${completed} completed, ${failed} failed`],
    ['job', batch.providerJob ?? 'none yet'],
    ...(batch.error === undefined ? [] : ([['error', printable(batch.error)]] as const)),
  ]);
  return report(
    writeMessage(GetBatchResponseSchema, create(GetBatchResponseSchema, { data: batch })),
    lines,
    hasFailed,
  );
}

function statusOf({ status }: Batch): string {
  return (BatchStatus[status] ?? '').toLowerCase();
}
