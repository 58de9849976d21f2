import { isDatabaseServer, readConfig } from '../../config/config.js';
import { DatabaseUnusable } from '../../store/open.js';
import type { Terminal } from '../output/command-line.js';
import { withGateway } from '../support/with-gateway.js';
import { type CommandName, type InputOf, type OutcomeOf, runLedgerCommand } from './command.js';
import { askServer } from './command-client.js';

/**
 * Runs a command where the ledger is: on SQLite in the running server, if there is one, else here. Undefined: it has
 * written its output itself.
 */
export async function runWithLedger<N extends CommandName>(
  terminal: Terminal,
  name: N,
  input: InputOf<N>,
): Promise<OutcomeOf<N>> {
  const { databaseUrl, dataDir } = readConfig();
  if (!isDatabaseServer(databaseUrl)) {
    const answered = await askServer(dataDir, { name, input }, terminal);
    // It was made by the same command.
    if (answered !== undefined) return answered.outcome as OutcomeOf<N>;
  }
  const { signal } = new AbortController();
  const written = async () => {};
  return withGateway(terminal, (gateway) =>
    runLedgerCommand(name, input, gateway, { terminal, signal, written }),
  ).catch(rethrowWithAdvice);
}

/** For a server on the file whose socket is elsewhere. */
function rethrowWithAdvice(error: unknown): never {
  if (!(error instanceof DatabaseUnusable)) throw error;
  throw new Error(`${error.message}; with the BYWAY_DATA_DIR of that process this command runs in it`);
}
