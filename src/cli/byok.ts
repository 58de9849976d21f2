import type { Command } from 'commander';
import { TestByokKeyResponseSchema } from '../../gen/byway/v1/byok_pb.js';
import { Problem } from '../base/problem.js';
import { createByway } from '../client/index.js';
import { writeMessage } from '../protobuf/write.js';
import { lookUpByokKey } from '../store/tables/operator-lookups.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { aligned, type CommandOutcome, report } from './output/outcome.js';
import { printable } from './output/table.js';
import { accountOf, callAs, operatorOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

/** `byway byok test`. */
export function addByokCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('byok');
  group
    .command('test <id>')
    .description('make one cheap call with a BYOK key and say what came of it; nothing is charged')
    .action(async (id: string) => print(await test(terminal, id)));
}

/** Fails when the provider refuses the credential. */
function test(terminal: Terminal, id: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const key = await lookUpByokKey(gateway.database, id);
    if (key === undefined) throw new Problem('not_found', `there is no BYOK key ${id}`);
    const options = callAs(operatorOf(await accountOf(gateway, key.accountId)));
    const { byok } = createByway(gateway.transport);
    const response = await byok.test({ id }, options);
    const { warnings = [] } = (await byok.get({ id }, options)).data ?? {};
    const { ok = false, status, reason = '', detail = '', latencyMs = 0 } = response.data ?? {};
    const lines = aligned([
      ['key', printable(`${key.label} for ${key.provider}${key.name === null ? '' : ` (${key.name})`}`)],
      ['result', ok ? reason : `failed: ${reason}`],
      ['status', status === undefined ? 'no answer' : String(status)],
      ['latency', `${latencyMs} ms`],
      ['detail', printable(detail)],
      ...warnings.map(({ field, message }) => ['warning', printable(`${field} ${message}`)] as const),
    ]);
    return report(writeMessage(TestByokKeyResponseSchema, response), lines, !ok);
  });
}
