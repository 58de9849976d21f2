/** A session of Codex: what the user says, which tools the model calls, and what it says in the end. */
import type { ToolCall } from '../endpoint/agent-day/day.js';
import { replyOf } from '../endpoint/agent-day/replies.js';
import type { Host } from '../support/hosts/table.js';

export const FILES = {
  'notes.txt': 'The secret word is kumquat.\n',
  'list.md': '- apple\n- pear\n',
} as const;

/** What the session leaves. */
export const LEFT = {
  'notes.txt': 'The secret word is quince.\n',
  'list.md': '- apple\n- Birne 🍐\n',
} as const;

const PATCH = `*** Begin Patch
*** Update File: list.md
@@
 - apple
-- pear
+- Birne 🍐
*** End Patch`;

export interface Step {
  readonly asked: string;
  /** A call of each round, by the end of its tool's name, which a host may be told with more before it. */
  readonly rounds: readonly (readonly ToolCall[])[];
  readonly said: string;
}

const run = (cmd: string): ToolCall => ({ name: 'exec_command', input: { cmd } });

/** An agent's id that nobody has. */
const NOBODY = '01a218a9-94cc-7a12-a699-1171fd654f3b';

export const STEPS: readonly Step[] = [
  { asked: 'What do the notes say?', rounds: [[run('cat notes.txt')]], said: 'The word is kumquat.' },
  {
    asked: 'Make it a quince, and look twice.',
    rounds: [
      [run("sed -i s/kumquat/quince/ notes.txt && echo 'done 🍐'")],
      [run('cat notes.txt'), run('ls')],
    ],
    said: 'Now it is a quince.',
  },
  {
    asked: 'Close the agent that nobody knows.',
    rounds: [[{ name: 'close_agent', input: { target: NOBODY } }]],
    said: 'There is none.',
  },
  {
    asked: 'The pear in German.',
    rounds: [[{ name: 'apply_patch', input: { input: PATCH } }]],
    said: 'Die Birne.',
  },
  { asked: 'Well done?', rounds: [], said: '«Ja», so it is.' },
];

const USAGE = { prompt: 1_000, cached: 0, written: 0, completion: 50, reasoning: 5 };

/** The model of a session: answers as the script says. */
export class CodexModel {
  readonly #host: Host;
  #step = -1;
  #round = 0;
  answers = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  next(): Step | undefined {
    this.#step += 1;
    this.#round = 0;
    return STEPS[this.#step];
  }

  readonly plan = (body: object): object => {
    const step = STEPS[this.#step];
    this.answers += 1;
    const calls = this.#host.lacks.includes('tools') ? undefined : step?.rounds[this.#round];
    this.#round += 1;
    if (calls === undefined) return this.#said({ text: step?.said ?? '' });
    const text = JSON.stringify(body);
    return this.#said({
      thoughts: `Well: ${step?.asked}`,
      calls: calls.map(({ name, input }) => ({ name: toolNamed(name, text), input })),
    });
  };

  #said(turn: Parameters<typeof replyOf>[1]): object {
    return replyOf(this.#host, turn, USAGE, this.answers);
  }
}

/** The whole name of the tool that the request offers. */
function toolNamed(end: string, request: string): string {
  const [, name] = new RegExp(`"name":"([\\w.-]*${end})"`).exec(request) ?? [];
  if (name === undefined) throw new Error(`the request has no tool ${end}: ${request.slice(0, 500)}`);
  return name;
}
