import { Command, CommanderError } from 'commander';
import type { CommandLine, Terminal } from './output/command-line.js';
import type { CommandOutcome } from './output/outcome.js';
import { packageFile } from './support/package-file.js';

/** A command right below the program, which is loaded when it is called: most of them need the whole gateway. */
interface LazyCommand {
  /** Its name, and what else the overview shows. */
  readonly usage: string;
  readonly description: string;
  load(): Promise<(program: Command, commandLine: CommandLine) => void>;
}

const SERVE = 'serve';

const COMMANDS: readonly LazyCommand[] = [
  {
    usage: `${SERVE} [options]`,
    description: 'serve until a signal stops it; the log goes to stdout, one JSON document a line',
    load: async () => (await import('./serve.js')).addServeCommand,
  },
  {
    usage: 'account',
    description: 'accounts and their credits',
    load: async () => (await import('./account.js')).addAccountCommands,
  },
  {
    usage: 'key',
    description: 'API keys',
    load: async () => (await import('./key.js')).addKeyCommands,
  },
  {
    usage: 'management-key',
    description: 'keys that administer an account',
    load: async () => (await import('./management-key.js')).addManagementKeyCommands,
  },
  {
    usage: 'operator-key',
    description: 'keys of no account, for GET /metrics',
    load: async () => (await import('./operator-key.js')).addOperatorKeyCommands,
  },
  {
    usage: 'byok',
    description: 'BYOK keys',
    load: async () => (await import('./byok.js')).addByokCommands,
  },
  {
    usage: 'provider',
    description: 'providers of shared capacity',
    load: async () => (await import('./provider.js')).addProviderCommands,
  },
  {
    usage: 'catalog',
    description: 'providers, models and prices',
    load: async () => (await import('./catalog.js')).addCatalogCommands,
  },
  {
    usage: 'explain [options]',
    description: 'print the route that a request would take, and why not another; nothing is sent',
    load: async () => (await import('./explain.js')).addExplainCommand,
  },
  {
    usage: 'batch',
    description: 'batches on Google Vertex AI',
    load: async () => (await import('./batch.js')).addBatchCommands,
  },
  {
    usage: 'vault',
    description: 'the encryption of stored credentials',
    load: async () => (await import('./vault.js')).addVaultCommands,
  },
  {
    usage: 'db',
    description: 'the database',
    load: async () => (await import('./db.js')).addDbCommands,
  },
  {
    usage: 'doctor',
    description: 'look at everything that a start depends on; changes nothing',
    load: async () => (await import('./doctor.js')).addDoctorCommand,
  },
];

/**
 * The `byway` command line, with the arguments after the program's name. Resolves to the exit code: 0, or 1 for any
 * failure; never rejects. `serve` resolves as soon as it serves. Output goes to stdout, a failure to stderr in one
 * line; with `--json` either is one JSON document on stdout. `onStarted` is called once everything has loaded: when
 * `serve` serves, or before the work of another command.
 */
export async function runByway(
  args: readonly string[],
  terminal: Terminal,
  onStarted: () => void = () => undefined,
): Promise<number> {
  const program = createProgram(terminal);
  let outcome: CommandOutcome | undefined;
  const print = (report: CommandOutcome) => {
    outcome = report;
  };
  const isJson = () => program.opts<{ json?: true }>().json === true;
  try {
    const called = calledName(args);
    for (const { usage, description, load } of COMMANDS) {
      const name = nameIn(usage);
      if (name === called) (await load())(program, { terminal, print });
      // Commander shows an argument as it shows options.
      else program.command(usage);
      program.commands.at(-1)?.description(description);
    }
    addHelpCommand(program);
    exitOverride(program);
    // Other commands do their work before they resolve.
    if (called !== SERVE) onStarted();
    await program.parseAsync(args, { from: 'user' });
    if (called === SERVE) onStarted();
    if (outcome !== undefined) terminal.stdout.write(isJson() ? outcome.json : outcome.text);
    return outcome?.failed ? 1 : 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError && isShown(thrown, isJson())) return thrown.exitCode;
    const { commandFailureOf } = await import('./output/failure.js');
    const failure = commandFailureOf(thrown);
    if (isJson()) terminal.stdout.write(failure.json);
    terminal.stderr.write(isJson() ? failure.details : failure.text + failure.details);
    return 1;
  }
}

/** The first word that is no option, or the one after `help`. */
function calledName(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  return first === 'help' ? second : first;
}

function nameIn(usage: string): string {
  return usage.replace(/ .*/, '');
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
