import { systemClock } from '../../base/clock.js';
import { describeFileError } from '../../base/file-error.js';
import { systemIds } from '../../base/ids.js';
import { Problem } from '../../base/problem.js';
import { compose } from '../../compose/compose.js';
import type { Gateway, Surroundings } from '../../compose/gateway.js';
import { type Config, ConfigError } from '../../config/config.js';
import { createUpstream } from '../../providers/index.js';
import { asUnusableDatabase, DatabaseUnusable, type InstanceLock } from '../../store/open.js';

/**
 * The gateway releases the lock when it is closed, or can't be opened. Throws ConfigError naming the variable behind a
 * file that can't be used.
 */
export function openGateway(config: Config, log: Surroundings['log'], lock?: InstanceLock): Promise<Gateway> {
  const surroundings = {
    clock: systemClock,
    ids: systemIds,
    log,
    upstream: createUpstream({ clock: systemClock, ...config }),
  };
  return namingFiles(config, () => compose(config, surroundings, lock));
}

/**
 * Runs work that opens the data directory or the database; an error of either becomes a ConfigError naming the
 * variable.
 */
export async function namingFiles<T>({ dataDir, databaseUrl }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = await asUnusableDatabase(thrown, databaseUrl);
    if (!(error instanceof Error)) throw error;
    if (error instanceof DatabaseUnusable) throw new ConfigError(named(error.message));
    if (error instanceof Problem && error.reason === 'database_unavailable' && error.cause instanceof Error) {
      throw new ConfigError(named(error.cause.message));
    }
    const { code, path }: NodeJS.ErrnoException = error;
    if (code?.startsWith('SQLITE_')) {
      throw new ConfigError(`BYWAY_DATABASE_URL: the database cannot be used (${error.message})`);
    }
    if (path === undefined) throw error;
    const variable = path.startsWith(dataDir) ? 'BYWAY_DATA_DIR' : 'BYWAY_DATABASE_URL';
    throw new ConfigError(`${variable}: cannot use ${describeFileError(path, error)}`);
  }
}

/** With the variable that has the URL, unless the message names another one. */
function named(message: string): string {
  return message.startsWith('BYWAY_') ? message : `BYWAY_DATABASE_URL: ${message}`;
}
