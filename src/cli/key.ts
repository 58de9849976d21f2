import { create as createMessage } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import { type Key, ListKeysResponseSchema } from '../../gen/byway/v1/keys_pb.js';
import { KEEP, set } from '../base/change.js';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { Problem } from '../base/problem.js';
import { createByway } from '../client/index.js';
import type { Gateway } from '../compose/gateway.js';
import { createKey } from '../identity/create-key.js';
import { updateKey } from '../identity/update-key.js';
import { writeMessage } from '../protobuf/write.js';
import { lookUpKey } from '../store/tables/operator-lookups.js';
import { usdAmount } from './output/amount.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import { aligned, type CommandOutcome, report } from './output/outcome.js';
import { tableLines } from './output/table.js';
import { accountOf, callAs, operatorOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

interface NewKeyOptions {
  readonly account: string;
  readonly name: string;
  readonly user?: string;
  readonly limit?: string;
}

/** `byway key create`, `list`, `disable` and `enable`. */
export function addKeyCommands(program: Command, { terminal, print }: CommandLine): void {
  const group = program.command('key');
  group
    .command('create')
    .description("create an API key in an account's default workspace; it is shown this once")
    .requiredOption('--account <account_id>', 'the account')
    .requiredOption('--name <name>', 'its name')
    .option('--user <user_id>', "the member that its requests count for (default: the account's owner)")
    .option('--limit <usd>', 'what it may spend in all')
    .action(async (options: NewKeyOptions) => print(await create(terminal, options)));
  group
    .command('list')
    .description('list the API keys of an account, disabled ones too')
    .requiredOption('--account <account_id>', 'the account')
    .action(async ({ account }: { account: string }) => print(await list(terminal, account)));
  group
    .command('disable <hash>')
    .description(
      'disable an API key, in whichever account it is; a running server refuses it within a second',
    )
    .action(async (hash: string) => print(await setDisabled(terminal, hash, true)));
  group
    .command('enable <hash>')
    .description('enable a disabled API key again')
    .action(async (hash: string) => print(await setDisabled(terminal, hash, false)));
}

function create(terminal: Terminal, { account, name, user, limit }: NewKeyOptions): Promise<CommandOutcome> {
  const limitNanoUsd = limit === undefined ? null : usdAmount('limit', limit);
  return withGateway(terminal, async (gateway) => {
    const { record, secret } = await createKey(
      dependenciesOf(gateway),
      operatorOf(await accountOf(gateway, account)),
      {
        name,
        limitNanoUsd,
        limitReset: null,
        includeByokInLimit: false,
        endUserLimitNanoUsd: null,
        endUserLimitReset: null,
        endUserRequired: false,
        cacheTtl: null,
        expiresAt: null,
        workspaceId: null,
        creatorUserId: user ?? null,
      },
    );
    const { hash } = record.key;
    return report(
      { hash, key: secret },
      aligned([
        ['hash', hash],
        ['key', `${secret}  (shown this once)`],
      ]),
    );
  });
}

/** The document is that of `GET /keys`, with all keys. */
function list(terminal: Terminal, accountId: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const keys = await allKeys(gateway, accountId);
    const answer = createMessage(ListKeysResponseSchema, { data: keys, totalCount: keys.length });
    const rows = keys.map(({ hash, label, disabled, creatorUserId = '', name = '' }) => {
      return [hash, label, disabled ? 'disabled' : 'enabled', creatorUserId, name];
    });
    // Not cut to a width: a shortened hash could not be disabled.
    const lines = tableLines(['hash', 'label', 'state', 'member', 'name'], rows, Number.POSITIVE_INFINITY);
    return report(writeMessage(ListKeysResponseSchema, answer), lines);
  });
}

/** Max records of a page. */
const PAGE_SIZE = 100;

async function allKeys(gateway: Gateway, accountId: string): Promise<Key[]> {
  const options = callAs(operatorOf(await accountOf(gateway, accountId)));
  const { keys } = createByway(gateway.transport);
  const all: Key[] = [];
  for (;;) {
    const page = { includeDisabled: true, offset: all.length, limit: PAGE_SIZE };
    const { data } = await keys.list(page, options);
    all.push(...data);
    if (data.length < PAGE_SIZE) return all;
  }
}

function setDisabled(terminal: Terminal, hash: string, disabled: boolean): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway) => {
    const found = await lookUpKey(gateway.database, hash);
    if (found === undefined) throw new Problem('not_found', `there is no API key with the hash ${hash}`);
    const operator = operatorOf(await accountOf(gateway, found.accountId));
    await updateKey(dependenciesOf(gateway), operator, hash, {
      name: KEEP,
      disabled: set(disabled),
      limitNanoUsd: KEEP,
      limitReset: KEEP,
      includeByokInLimit: KEEP,
      endUserLimitNanoUsd: KEEP,
      endUserLimitReset: KEEP,
      endUserRequired: KEEP,
      cacheTtl: KEEP,
    });
    return report({ hash, disabled }, [`${disabled ? 'disabled' : 'enabled'} ${hash}`]);
  });
}

function dependenciesOf({ stores }: Gateway) {
  return { store: stores.keys, usage: stores.usage, clock: systemClock, ids: systemIds };
}
