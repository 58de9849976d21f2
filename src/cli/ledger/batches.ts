import { setTimeout as sleep } from 'node:timers/promises';
import { create, fromBinary } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import {
  type Batch,
  BatchSchema,
  BatchStatus,
  CreateBatchRequestSchema,
  GetBatchResponseSchema,
  StreamBatchResultsResponseSchema,
} from '../../../gen/byway/v1/batches_pb.js';
import { Problem } from '../../base/problem.js';
import { createByway } from '../../client/index.js';
import type { Gateway } from '../../compose/gateway.js';
import { writeMessage } from '../../protobuf/write.js';
import { lookUpBatch, lookUpByokKey, lookUpKey } from '../../store/tables/operator-lookups.js';
import { aligned, type CommandOutcome, report } from '../output/outcome.js';
import { Progress } from '../output/progress.js';
import { printable } from '../output/table.js';
import { accountOf, callAs, operatorOf } from '../support/operator.js';
import type { CommandContext } from './context.js';

export interface Submission {
  /** The request in base64: as a message it takes a fraction of the memory of its JSON. */
  readonly request: string;
  readonly account?: string;
  readonly byokKey?: string;
  readonly key?: string;
}

export interface NamedBatch {
  readonly id: string;
}

export interface WantedResults extends NamedBatch {
  /** One document instead of a line for each result. */
  readonly isJson: boolean;
}

/** How often a watched batch is read. */
const POLL_INTERVAL_MS = 2000;

export async function submitFile(
  gateway: Gateway,
  { request, ...options }: Submission,
  { signal }: CommandContext,
): Promise<CommandOutcome> {
  const message = fromBinary(CreateBatchRequestSchema, Buffer.from(request, 'base64'));
  const caller = await callerFor(gateway, await accountFor(gateway, options));
  const { data } = await createByway(gateway.transport).batches.create(message, { ...caller, signal });
  return outcomeOf(data ?? create(BatchSchema));
}

/** Fails when the batch has failed or was cancelled. */
export async function watch(
  gateway: Gateway,
  { id }: NamedBatch,
  { terminal, signal }: CommandContext,
): Promise<CommandOutcome> {
  const caller = await callerOf(gateway, id);
  const { batches } = createByway(gateway.transport);
  const progress = new Progress(terminal.stderr);
  for (;;) {
    const { data = create(BatchSchema) } = await batches.get({ id }, { ...caller, signal });
    const { total = 0, completed = 0, failed = 0 } = data.requestCounts ?? {};
    progress.show(completed + failed, total, statusOf(data));
    if (ENDED.has(data.status)) {
      progress.end();
      return outcomeOf(data, data.status !== BatchStatus.COMPLETED);
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal });
  }
}

/** Writes results as they arrive: they may not fit into memory. */
export async function results(
  gateway: Gateway,
  { id, isJson }: WantedResults,
  { terminal: { stdout }, signal, written }: CommandContext,
): Promise<undefined> {
  const caller = await callerOf(gateway, id);
  let count = 0;
  for await (const result of createByway(gateway.transport).batches.results({ id }, { ...caller, signal })) {
    const text = JSON.stringify(writeMessage(StreamBatchResultsResponseSchema, result));
    if (isJson) stdout.write(`${count === 0 ? '{"data":[' : ','}${text}`);
    else stdout.write(`${text}\n`);
    await written();
    count += 1;
  }
  if (isJson) stdout.write(`${count === 0 ? '{"data":[' : ''}]}\n`);
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

async function accountFor(
  { database }: Gateway,
  { account, key, byokKey }: Omit<Submission, 'request'>,
): Promise<string> {
  if (account !== undefined) return account;
  const named =
    byokKey !== undefined && key === undefined
      ? await lookUpByokKey(database, byokKey)
      : await lookUpKey(database, key ?? null);
  if (named === undefined) throw new Problem('not_found', 'no account has such a key; --account names one');
  return named.accountId;
}

function outcomeOf(batch: Batch, hasFailed = false): CommandOutcome {
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
