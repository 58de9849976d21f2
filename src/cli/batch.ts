import { toBinary } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { CreateBatchRequestSchema } from '../../gen/byway/v1/batches_pb.js';
import { runWithLedger } from './ledger/run-with-ledger.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import type { CommandOutcome } from './output/outcome.js';
import { type BatchOptions, readBatch } from './support/batch-file.js';
import { readNamedFile } from './support/read-file.js';

interface SubmitOptions extends BatchOptions {
  readonly account?: string;
}

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
    .action(async (id: string) => print(await runWithLedger(terminal, 'batch watch', { id })));
  group
    .command('results <id>')
    .description('print the results of a batch that has ended, as JSON lines')
    .action(async (id: string) => {
      const isJson = program.opts<{ json?: true }>().json === true;
      await runWithLedger(terminal, 'batch results', { id, isJson });
    });
}

async function submit(
  terminal: Terminal,
  file: string,
  { account, byokKey, key, model }: SubmitOptions,
): Promise<CommandOutcome> {
  const named = { ...(byokKey !== undefined && { byokKey }), ...(key !== undefined && { key }) };
  const options = { ...named, ...(model !== undefined && { model }) };
  const message = toBinary(CreateBatchRequestSchema, readBatch(await readNamedFile(file), options));
  const request = Buffer.from(message).toString('base64');
  const selected = { ...named, ...(account !== undefined && { account }) };
  return runWithLedger(terminal, 'batch submit', { request, ...selected });
}
