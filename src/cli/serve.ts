import cluster from 'node:cluster';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { systemClock } from '../base/clock.js';
import { systemIds } from '../base/ids.js';
import type { Gateway } from '../compose/gateway.js';
import { type Config, ConfigError, isDatabaseServer, isOpenToAnyHost, readConfig } from '../config/config.js';
import { createApp } from '../server/app.js';
import { type Signals, stopOnce, stopWithSupervisor, takeSignals } from '../server/health/signals.js';
import { loadTlsIdentity, reloadTlsIdentity } from '../server/port/tls.js';
import { lockInstance } from '../store/open.js';
import { type CommandServer, serveCommands } from './ledger/command-server.js';
import type { CommandLine, Output } from './output/command-line.js';
import { createLog } from './output/log.js';
import { outliveReader } from './output/output.js';
import { makeFirstAccount } from './start/first-start.js';
import { prepareCatalog } from './start/prepare-catalog.js';
import { supervise } from './start/supervise.js';
import { UNBOUND_HOSTS } from './start/unbound-hosts.js';
import { unknownSettings } from './start/unknown-settings.js';
import {
  acceptUnreadableOption,
  logUnreadable,
  refuseMasterKeyMismatch,
} from './start/unreadable-credentials.js';
import { welcome } from './start/welcome.js';
import { namingFiles, openGateway } from './support/open-gateway.js';

/** After the first looks whether the server is ready, which loading would hold up. */
const WARM_UP_AFTER_MS = 500;

interface ServeOptions {
  readonly printKeys?: true;
  readonly acceptUnreadable?: true;
}

/** `byway serve`. */
export function addServeCommand(program: Command, { terminal }: CommandLine): void {
  program
    .command('serve')
    .option('--print-keys', 'print the keys of the very first start, also where no terminal is')
    .addOption(acceptUnreadableOption())
    .action((options: ServeOptions) => {
      const config = readConfig();
      outliveReader(process);
      const signals = takeSignals(process, { isSupervised: cluster.isWorker });
      const log = createLog(config.logLevel, terminal.stdout);
      if (config.workers === 1 || cluster.isWorker) {
        // The channel to the supervisor would keep a failed process alive.
        return serve(config, options, { log, signals, output: terminal.stdout }).catch((error: unknown) => {
          cluster.worker?.disconnect();
          throw error;
        });
      }
      return supervise({ workers: config.workers, drainMs: config.drainMs, signals, log });
    });
}

interface Surroundings {
  readonly log: Logger;
  readonly signals: Signals;
  readonly output: Output;
}

/**
 * Serves until a signal, alone or as one of several workers; resolves as soon as it serves. The very first start
 * creates a demo account, whose keys are printed once to a terminal, or else written to a file. Rejects with an Error
 * whose message is one line for the operator.
 */
async function serve(
  config: Config,
  options: ServeOptions,
  { log, signals, output }: Surroundings,
): Promise<void> {
  const tls = config.tls === null ? {} : { tls: loadTlsIdentity(config.tls) };
  const gateway = await openExclusively(config, log);
  let close = () => gateway.close();
  try {
    warnOperator(gateway, config, log);
    if (isFirstWorker() && !options.acceptUnreadable) {
      await refuseMasterKeyMismatch(gateway.stores.credentials, config, gateway.masterKeys);
    }
    await prepareCatalog(gateway, isFirstWorker() ? config : { ...config, catalogFile: null }, log);
    const { server, drain, uncaught } = await createApp({
      ...gateway,
      ...tls,
      check: () => gateway.database.ping(),
      clock: systemClock,
      ids: systemIds,
      config,
      logger: log,
    });
    const ended = new AbortController();
    let commands: CommandServer | undefined;
    server.addHook('onClose', async () => {
      ended.abort();
      await commands?.close();
      await gateway.close();
    });
    close = () => server.close();
    if (gateway.database.exclusive !== null) commands = await serveCommands(gateway, config.dataDir, log);
    const stop = cluster.isWorker ? stopWithSupervisor : stopOnce;
    signals.use({
      drain: stop(process, drain),
      reread: () => reloadTlsIdentity(server.server, config.tls, log),
    });
    await server.listen({ host: config.host, port: config.port }).catch(rethrowNamed(config));
    uncaught.watch(process);
    // Only now that the port is ours: the keys of a first start are shown once, by a start that succeeds.
    const isPrinted = options.printKeys === true || output.isTTY === true;
    const first = await namingFiles(config, () =>
      makeFirstAccount(gateway, isPrinted ? null : config.dataDir),
    );
    gateway.batches.start();
    gateway.retention.start(log);
    const { port } = addressOf(server.server.address());
    const url = config.publicUrl ?? `${config.tls === null ? 'http' : 'https'}://localhost:${port}`;
    if (first !== undefined) output.write(welcome(first, url));
    setTimeout(() => void gateway.warmUp(), WARM_UP_AFTER_MS).unref();
    if (!isFirstWorker()) return;
    log.info({ url }, `Byway is ready at ${url}`);
    void logUnreadable(gateway, log, ended.signal);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Logs what may not be intended. */
function warnOperator({ masterKeys: { created, ownFile } }: Gateway, config: Config, log: Logger): void {
  if (created) {
    log.warn({ file: ownFile }, 'created a master key; whoever loses it loses every stored credential');
  }
  if (ownFile !== null && isDatabaseServer(config.databaseUrl)) {
    log.warn(
      { file: ownFile },
      'the master key is in a file of this machine; every machine on this database needs the same one',
    );
  }
  if (!isFirstWorker()) return;
  if (isOpenToAnyHost(config)) log.warn({ regionHosts: [...config.regionHosts.keys()] }, UNBOUND_HOSTS);
  for (const unknown of unknownSettings()) log.warn(unknown, 'nothing reads this variable');
}

/** Whether this process does what a start does once, such as changing the database. */
function isFirstWorker(): boolean {
  return cluster.worker === undefined || cluster.worker.id === 1;
}

/** Opens the gateway with the instance lock, which SQLite needs: only one process may serve from its file. */
async function openExclusively(config: Config, log: Logger): Promise<Gateway> {
  const lock = await namingFiles(config, async () => lockInstance(config.databaseUrl));
  return openGateway(config, log, lock);
}

/** Rethrows an error of listening with the variable that causes it. */
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
