/** A session of ten turns: what the user says, which tools the model calls, and what it says in the end. */

import type { ToolCall } from '../../endpoint/agent-day/day.js';
import { replyOf } from '../../endpoint/agent-day/replies.js';
import { type Host, speaksMessages } from '../../support/hosts/table.js';

export interface Step {
  readonly asked: string;
  /** Calls of one answer each; their results come with the next request. */
  readonly rounds: readonly (readonly ToolCall[])[];
  readonly said: string;
}

export const TOOLS = ['Read', 'Edit', 'Bash', 'Grep'] as const;

export const FILES = {
  'notes.txt': 'The secret word is kumquat.\nGrüezi mitenand 👋🏽\n',
  'list.md': '- apple\n- pear\n',
} as const;

/** What the session leaves. */
export const LEFT = {
  'notes.txt': 'The secret word is quince.\nGrüezi mitenand 👋🏽\n',
  'list.md': '- apple\n- Birne 🍐\n',
} as const;

const call = (name: (typeof TOOLS)[number], input: object): ToolCall => ({ name, input });

export function stepsIn(folder: string): readonly Step[] {
  const at = (name: keyof typeof FILES) => `${folder}/${name}`;
  const read = (name: keyof typeof FILES) => call('Read', { file_path: at(name) });
  const edit = (name: keyof typeof FILES, old_string: string, new_string: string) =>
    call('Edit', { file_path: at(name), old_string, new_string });
  const bash = (command: string) => call('Bash', { command, description: 'Looks' });
  const grep = (pattern: string) => call('Grep', { pattern, path: folder, output_mode: 'content' });
  return [
    { asked: 'What do the notes say?', rounds: [[read('notes.txt')]], said: 'The word is kumquat.' },
    { asked: 'Where does it stand?', rounds: [[grep('kumquat')]], said: 'In the first line.' },
    {
      asked: 'Make it a quince.',
      rounds: [[edit('notes.txt', 'kumquat', 'quince')]],
      said: 'Now it is a quince 🍐.',
    },
    { asked: 'How many lines?', rounds: [[bash('wc -l < notes.txt')]], said: 'Two.' },
    {
      asked: 'Compare them with the list.',
      rounds: [[read('notes.txt'), read('list.md')]],
      said: 'They differ.',
    },
    {
      asked: 'The pear in German, and show me.',
      rounds: [[edit('list.md', 'pear', 'Birne 🍐')], [bash('cat list.md')]],
      said: 'Die Birne.',
    },
    {
      asked: 'What is there?',
      rounds: [[grep('quince'), bash('ls')]],
      said: 'Notes and a list.',
    },
    {
      asked: 'Remove the banana.',
      rounds: [[edit('list.md', 'banana', '')], [read('list.md')]],
      said: 'There is none.',
    },
    { asked: 'Well done?', rounds: [], said: '«Ja», so it is.' },
    { asked: 'Check once more.', rounds: [[bash('cat notes.txt list.md')]], said: 'All is as it should be.' },
  ];
}

const USAGE = { prompt: 1_000, cached: 0, written: 0, completion: 50, reasoning: 5 };

/** The model of a session: answers as the script says. */
export class ScriptedModel {
  readonly #steps: readonly Step[];
  readonly #host: Host;
  #step = -1;
  #round = 0;
  /** Requests of the conversation itself. */
  answers = 0;

  constructor(host: Host, steps: readonly Step[]) {
    this.#steps = steps;
    this.#host = speaksMessages(host) ? { ...host, format: 'messages' } : host;
  }

  /** Goes on to the next step; what is asked in it. */
  next(): Step | undefined {
    this.#step += 1;
    this.#round = 0;
    return this.#steps[this.#step];
  }

  /** The plan for a request; what has no tools is asked beside the conversation. */
  readonly plan = (body: object): object => {
    const hasTools = !this.#host.lacks.includes('tools');
    const step = this.#steps[this.#step];
    if (step === undefined || (hasTools && !hasBash(body))) return this.#said({ text: 'A session.' });
    this.answers += 1;
    const calls = hasTools ? step.rounds[this.#round] : undefined;
    this.#round += 1;
    return this.#said(calls === undefined ? { text: step.said } : { thoughts: `Well: ${step.asked}`, calls });
  };

  #said(turn: Parameters<typeof replyOf>[1]): object {
    return replyOf(this.#host, turn, USAGE, this.answers);
  }
}

/** Whether a request for an answer, in any format, has the tool; counting tokens asks for none. */
function hasBash(body: object): boolean {
  const { tools, toolConfig, contents, max_tokens } = body as Readonly<Record<string, unknown>>;
  const isAnswered =
    contents !== undefined ||
    toolConfig !== undefined ||
    max_tokens !== undefined ||
    'max_completion_tokens' in body;
  return isAnswered && /"name":"Bash"/.test(JSON.stringify([tools, toolConfig]));
}
