import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './account.js';
import { addBatchCommands } from './batch.js';
import { addByokCommands } from './byok.js';
import { addCatalogCommands } from './catalog.js';
import { addDbCommands } from './db.js';
import { addDoctorCommand } from './doctor.js';
import { addExplainCommand } from './explain.js';
import { addKeyCommands } from './key.js';
import { addManagementKeyCommands } from './management-key.js';
import { addOperatorKeyCommands } from './operator-key.js';
import { failureOf } from './output/failure.js';
import type { Outcome } from './output/outcome.js';
import { addProviderCommands } from './provider.js';
import { addServeCommand } from './serve.js';
import type { Terminal } from './support/command-line.js';
import { packageFile } from './support/package-file.js';
import { addVaultCommands } from './vault.js';

const GROUPS = [
  addServeCommand,
  addAccountCommands,
  addKeyCommands,
  addManagementKeyCommands,
  addOperatorKeyCommands,
  addByokCommands,
  addProviderCommands,
  addCatalogCommands,
  addExplainCommand,
  addBatchCommands,
  addVaultCommands,
  addDbCommands,
  addDoctorCommand,
];

/**
 * The `byway` command line, with the arguments after the program's name. Resolves to the exit code: 0, or 1 for any
 * failure; never rejects. `serve` resolves as soon as it serves. Output goes to stdout, a failure to stderr in one
 * line; with `--json` either is one JSON document on stdout.
 */
export async function runByway(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal);
  let outcome: Outcome | undefined;
  for (const add of GROUPS) {
    add(program, {
      terminal,
      print: (report) => {
        outcome = report;
      },
    });
  }
  addHelpCommand(program);
  exitOverride(program);
  const isJson = () => program.opts<{ json?: true }>().json === true;
  try {
    await program.parseAsync(args, { from: 'user' });
    if (outcome !== undefined) terminal.stdout.write(isJson() ? outcome.json : outcome.text);
    return outcome?.failed ? 1 : 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError && isShown(thrown, isJson())) return thrown.exitCode;
    const failure = failureOf(thrown);
    if (isJson()) terminal.stdout.write(failure.json);
    terminal.stderr.write(isJson() ? failure.details : failure.text + failure.details);
    return 1;
  }
}

function createProgram(terminal: Terminal): Command {
  return new Command('byway')
    .description('A self-hosted AI gateway. Commands work on the database, also beside a running server.')
    .version(packageFile().version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .option('--json', 'print one JSON document, errors included')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      // The failure is printed once, by the code above.
      outputError: () => undefined,
    });
}

/** Makes commander throw instead of ending the process, in every command. */
function exitOverride(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) exitOverride(inner);
}

/**
 * Whether commander has already printed the output: help and version, but with `--json` not the help for no command.
 */
function isShown({ code, exitCode }: CommanderError, isJson: boolean): boolean {
  if (exitCode === 0) return true;
  return code === 'commander.help' && !isJson;
}

/** `byway help` with the words of any command, instead of commander's own, which takes one word. */
function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .argument('[command...]', 'its words, such as: key create')
    .description('explain a command')
    .action((words: readonly string[]) => commandOf(program, words).outputHelp());
}

function commandOf(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) return program.error(`error: unknown command '${words.join(' ')}'`);
    return inner;
  }, program);
}
