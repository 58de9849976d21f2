/** The commands that reserve, charge or credit, by name; the process that has the ledger runs them. */
import type { Gateway } from '../../compose/gateway.js';
import type { CommandOutcome } from '../output/outcome.js';
import type { CommandContext } from './context.js';

/** Undefined: it has written its output itself. */
type LedgerCommand<I, O extends CommandOutcome | undefined> = (
  gateway: Gateway,
  input: I,
  context: CommandContext,
) => Promise<O>;

/** What a command takes must be JSON. */
export const LEDGER_COMMANDS = {
  'account create': async () => (await import('./accounts.js')).create,
  'account credit': async () => (await import('./accounts.js')).credit,
  'batch submit': async () => (await import('./batches.js')).submitFile,
  'batch watch': async () => (await import('./batches.js')).watch,
  'batch results': async () => (await import('./batches.js')).results,
} as const satisfies Record<string, () => Promise<LedgerCommand<never, CommandOutcome | undefined>>>;

export type CommandName = keyof typeof LEDGER_COMMANDS;

type Command<N extends CommandName> = Awaited<ReturnType<(typeof LEDGER_COMMANDS)[N]>>;

export type InputOf<N extends CommandName> = Parameters<Command<N>>[1];

export type OutcomeOf<N extends CommandName> = Awaited<ReturnType<Command<N>>>;

export async function runLedgerCommand<N extends CommandName>(
  name: N,
  input: InputOf<N>,
  gateway: Gateway,
  context: CommandContext,
): Promise<OutcomeOf<N>> {
  // The name decides about all three; the compiler can't follow that.
  const run = (await LEDGER_COMMANDS[name]()) as LedgerCommand<InputOf<N>, OutcomeOf<N>>;
  return run(gateway, input, context);
}
