import { pino } from 'pino';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import { compose, type Gateway } from '../compose.js';
import type { Config } from '../config.js';
import { createApp } from '../server/app.js';
import { stopOnSignals } from '../server/signals.js';
import { loadTlsIdentity, reloadTlsIdentity } from '../server/tls.js';
import { type FirstStart, firstStart } from './first-start.js';

/**
 * `byway serve`: serves until a signal ends it. On the very first start it makes a demo account and prints its keys,
 * this once. Rejects with an Error whose message is one line for the operator.
 */
export async function serve(config: Config, output: NodeJS.WritableStream): Promise<void> {
  const log = pino({ level: config.logLevel });
  const tls = config.tls === null ? {} : { tls: loadTlsIdentity(config.tls) };
  const gateway = await compose(config, { clock: systemClock, ids: systemIds, log });
  if (gateway.masterKeys.created) {
    log.warn(
      { file: gateway.masterKeys.ownFile },
      'created a master key; whoever loses it loses every stored credential',
    );
  }
  const { server, drain } = await createApp({
    ...gateway,
    ...tls,
    check: () => ping(gateway),
    clock: systemClock,
    ids: systemIds,
    config,
    logger: log,
  });
  // After everything that a wrong setting can stop: the keys of a first start are shown only by a whole one.
  const first = await firstStart(gateway, config);
  server.addHook('onClose', () => gateway.close());
  stopOnSignals(process, drain);
  const files = config.tls;
  if (files !== null) process.on('SIGHUP', () => reloadTlsIdentity(server.server, files, log));
  await server.listen({ host: config.host, port: config.port });
  const { port } = addressOf(server.server.address());
  if (first !== undefined)
    output.write(
      welcome(first, config.publicUrl ?? `${config.tls === null ? 'http' : 'https'}://localhost:${port}`),
    );
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
