import type { Command } from 'commander';

/** `byway help` with the words of any command, in the place of commander's own, which takes one word. */
export function addHelpCommand(program: Command): void {
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
