import { create, type JsonValue } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import {
  type ExplainRouteRequest,
  ExplainRouteRequestSchema,
  ExplainRouteResponseSchema,
  RouteSchema,
} from '../../gen/byway/v1/routing_pb.js';
import { invalid, Problem } from '../base/problem.js';
import { createByway } from '../client/index.js';
import type { Gateway } from '../compose/gateway.js';
import { readMessage } from '../protobuf/read.js';
import { writeMessage } from '../protobuf/write.js';
import { type FoundKey, lookUpKey } from '../store/tables/operator-lookups.js';
import type { CommandLine, Terminal } from './output/command-line.js';
import type { CommandOutcome } from './output/outcome.js';
import { renderRoute } from './output/route-table.js';
import { printable } from './output/table.js';
import { accountOf, callAs, operatorOf } from './support/operator.js';
import { withGateway } from './support/with-gateway.js';

interface ExplainOptions {
  readonly model: string;
  readonly key?: string;
  readonly provider?: string;
}

/** `byway explain`. */
export function addExplainCommand(program: Command, { terminal, print }: CommandLine): void {
  program
    .command('explain')
    .requiredOption('--model <model>', 'the model, by id, slug or alias')
    .option('--key <hash>', 'the API key that asks (default: the oldest one there is)')
    .option('--provider <json>', 'provider preferences, as in a chat request')
    .action(async (options: ExplainOptions) => print(await explain(terminal, options)));
}

function explain(terminal: Terminal, { model, key, provider }: ExplainOptions): Promise<CommandOutcome> {
  const preferences = provider === undefined ? undefined : parseJson(provider);
  return withGateway(terminal, async (gateway) => {
    const { accountId, hash, label, name } = await keyOf(gateway, key);
    const request = requestOf(model, hash, preferences);
    const options = callAs(operatorOf(await accountOf(gateway, accountId)));
    const response = await createByway(gateway.transport).routing.explain(request, options);
    const document = {
      ...writeMessage(ExplainRouteResponseSchema, response),
      api_key_hash: hash,
    };
    const title = printable(`Route of ${model} for the API key ${label} (${name})`);
    const table = renderRoute(response.data ?? create(RouteSchema), {
      colour: terminal.stdout.isTTY === true,
    });
    return { json: `${JSON.stringify(document)}\n`, text: `${title}\n\n${table}`, failed: false };
  });
}

async function keyOf({ database }: Gateway, hash: string | undefined): Promise<FoundKey> {
  const key = await lookUpKey(database, hash ?? null);
  if (key !== undefined) return key;
  const message =
    hash === undefined
      ? 'there is no API key yet; "byway key create" makes one'
      : `there is no API key with the hash ${hash}`;
  throw new Problem('not_found', message);
}

/** Throws a 400 Problem that names every violation of the preferences. */
function requestOf(model: string, hash: string, provider: JsonValue | undefined): ExplainRouteRequest {
  const members = { model, api_key_hash: hash, ...(provider !== undefined && { provider }) };
  const read = readMessage(ExplainRouteRequestSchema, members);
  if (!read.ok) throw invalid(read.violations);
  return read.message;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([{ field: 'provider', rule: 'json', message: 'must be JSON' }]);
  }
}
