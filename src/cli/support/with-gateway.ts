import type { Gateway } from '../../compose/gateway.js';
import { type Config, readConfig } from '../../config/config.js';
import type { Terminal } from '../output/command-line.js';
import { createLog } from '../output/log.js';
import { openGateway } from './open-gateway.js';

/** Runs `work` with a gateway on the configured database, and closes it. Its log goes to stderr. */
export async function withGateway<T>(
  { stderr }: Terminal,
  work: (gateway: Gateway, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const gateway = await openGateway(config, createLog(config.logLevel, stderr));
  try {
    if (gateway.masterKeys.created) {
      const file = gateway.masterKeys.ownFile;
      stderr.write(`byway: created the master key ${file}; whoever loses it loses every stored credential\n`);
    }
    return await work(gateway, config);
  } finally {
    await gateway.close();
  }
}
