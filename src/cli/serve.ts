import cluster from 'node:cluster';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import type { Gateway } from '../compose.js';
import { type Config, ConfigError, isDatabaseServer, readConfig } from '../config.js';
import { createApp } from '../server/app.js';
import { stopOnSignals, stopWithSupervisor } from '../server/signals.js';
import { loadTlsIdentity, reloadTlsIdentity } from '../server/tls.js';
import type { CommandLine, Output } from './command-line.js';
import { createDemoAccount, type FirstStart, prepareCatalog } from './first-start.js';
import { openGateway } from './open-gateway.js';
import { createLog, outliveReader } from './output.js';
import { supervise } from './supervise.js';

/** `byway serve`. */
export function addServeCommand(program: Command, { terminal }: CommandLine): void {
  program
    .command('serve')
    .description('serve until SIGTERM or SIGINT; the log goes to stdout, one JSON document a line')
    .action(() => {
      const config = readConfig();
      outliveReader(process);
      const log = createLog(config.logLevel, terminal.stdout);
      if (config.workers === 1 || cluster.isWorker) {
        // The channel to the supervisor would keep a process alive that has failed.
        return serve(config, log, terminal.stdout).catch((error: unknown) => {
          cluster.worker?.disconnect();
          throw error;
        });
      }
      return supervise({ workers: config.workers, takesHangup: config.tls !== null, log });
    });
}

/**
 * Serves until a signal ends it, alone or as one of several workers; resolves as soon as it does. On the very first
 * start it makes a demo account and prints its keys, this once. Rejects with an Error whose message is one line for
 * the operator.
 */
async function serve(config: Config, log: Logger, output: Output): Promise<void> {
  const tls = config.tls === null ? {} : { tls: loadTlsIdentity(config.tls) };
  const gateway = await openGateway(config, log);
  let close = () => gateway.close();
  try {
    if (gateway.masterKeys.created) {
      log.warn(
        { file: gateway.masterKeys.ownFile },
        'created a master key; whoever loses it loses every stored credential',
      );
    }
    if (gateway.masterKeys.ownFile !== null && isDatabaseServer(config.databaseUrl)) {
      log.warn(
        { file: gateway.masterKeys.ownFile },
        'the master key is in a file of this machine; every machine on this database needs the same one',
      );
    }
    await prepareCatalog(gateway, isFirstOfAll() ? config.catalogFile : null);
    const { server, drain, uncaught } = await createApp({
      ...gateway,
      ...tls,
      check: () => ping(gateway),
      clock: systemClock,
      ids: systemIds,
      config,
      logger: log,
    });
    server.addHook('onClose', () => gateway.close());
    close = () => server.close();
    const stopOn = cluster.isWorker ? stopWithSupervisor : stopOnSignals;
    stopOn(process, drain);
    const files = config.tls;
    if (files !== null) process.on('SIGHUP', () => reloadTlsIdentity(server.server, files, log));
    await server.listen({ host: config.host, port: config.port }).catch(rethrowNamed(config));
    uncaught.watch(process);
    // Only now that the port is ours: the keys of a first start are shown once, by a start that succeeds.
    const first = await createDemoAccount(gateway);
    gateway.batches.start();
    const { port } = addressOf(server.server.address());
    const scheme = config.tls === null ? 'http' : 'https';
    if (first !== undefined)
      output.write(welcome(first, config.publicUrl ?? `${scheme}://localhost:${port}`));
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether this process stands for the start of all: what changes the database for good is done once. */
function isFirstOfAll(): boolean {
  return cluster.worker === undefined || cluster.worker.id === 1;
}

async function ping({ stores }: Gateway): Promise<void> {
  await stores.accounts.hasAccounts();
}

/** Tells in terms of the variables why an address can't be had. */
function rethrowNamed({ host, port }: Config): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    switch (error.code) {
      case 'EADDRINUSE':
        throw new ConfigError(`PORT: ${port} on ${host} is already in use by another process`);
      case 'EACCES':
        throw new ConfigError(`PORT: this user may not listen on ${port}`);
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new ConfigError(`HOST: ${host} is no address of this machine`);
      default:
        throw error;
    }
  };
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

The dashboard is at ${url}/; the management key opens it.

Try:

  curl '${url}/api/v1/models/user?limit=3' -H 'Authorization: Bearer ${apiKey}'

  curl ${url}/api/v1/byok -H 'Authorization: Bearer ${managementKey}' \\
    -H 'Content-Type: application/json' -d '{"provider": "demo", "key": "demo-my-own-key", "name": "My key"}'

  curl ${url}/api/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' -d '{"model": "demo/echo", "messages": [{"role": "user", "content": "Hello"}]}'

`;
}
