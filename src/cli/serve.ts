import { pino } from 'pino';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { compose, type Gateway } from '../compose.js';
import type { Config } from '../config.js';
import { createApp } from '../server/app.js';
import { stopOnSignals } from '../server/signals.js';
import { type FirstStart, firstStart } from './first-start.js';

/**
 * `byway serve`: serves until a signal ends it. On the very first start it makes a demo account and prints its keys,
 * this once. Rejects with an Error whose message is one line for the operator.
 */
export async function serve(config: Config, output: NodeJS.WritableStream): Promise<void> {
  const log = pino({ level: config.logLevel });
  const gateway = await compose(config, { clock: systemClock, ids: systemIds, log });
  if (gateway.masterKeys.created) {
    log.warn(
      { file: gateway.masterKeys.ownFile },
      'created a master key; whoever loses it loses every stored credential',
    );
  }
  const first = await firstStart(gateway, config);
  const { server, drain } = await createApp({
    ...gateway,
    check: () => ping(gateway),
    clock: systemClock,
    ids: systemIds,
    regionHosts: config.regionHosts,
    publicUrl: config.publicUrl,
    logger: log,
  });
  server.addHook('onClose', () => gateway.close());
  stopOnSignals(process, drain);
  await server.listen({ host: config.host, port: config.port });
  const { port } = addressOf(server.server.address());
  if (first !== undefined) output.write(welcome(first, config.publicUrl ?? `http://localhost:${port}`));
}

async function ping({ stores }: Gateway): Promise<void> {
  await stores.accounts.hasAccounts();
}

function addressOf(address: ReturnType<import('node:net').Server['address']>): { port: number } {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}

function welcome({ apiKey, managementKey }: FirstStart, url: string): string {
  return `
Byway is ready at ${url}. This is its first start, so it has made a demo account with 10 USD of credits.
Its keys are shown this once:

  API key         ${apiKey}
  management key  ${managementKey}

Try:

  curl ${url}/api/v1/models/user?limit=3 -H 'Authorization: Bearer ${apiKey}'

  curl ${url}/api/v1/byok -H 'Authorization: Bearer ${managementKey}' \\
    -H 'Content-Type: application/json' -d '{"provider": "demo", "key": "demo-my-own-key", "name": "My key"}'

  curl ${url}/api/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' -d '{"model": "demo/echo", "messages": [{"role": "user", "content": "Hello"}]}'

`;
}
