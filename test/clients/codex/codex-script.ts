/** A session of Codex: what the user says, which tools the model calls, and what it says in the end. */
import type { ToolCall } from '../../endpoint/agent-day/day.js';
import { replyOf } from '../../endpoint/agent-day/replies.js';
import type { Host } from '../../support/hosts/table.js';

export const FILES = {
  'notes.txt': 'The secret word is kumquat.\n',
  'list.md': '- apple\n- pear\n',
} as const;

/** What the session leaves. */
export const LEFT = {
  'notes.txt': 'The secret word is quince.\n',
  'list.md': '- apple\n- Birne 🍐\n',
} as const;

/** A PNG of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const PATCH = `*** Begin Patch
*** Update File: list.md
@@
 - apple
-- pear
+- Birne 🍐
*** End Patch`;

/** Calls of one answer, by the end of a tool's name, which a host may be told with more before it. */
type Round = readonly ToolCall[] | ((request: string) => readonly ToolCall[]);

export interface Step {
  readonly asked: string;
  readonly rounds: readonly Round[];
  readonly said: string;
  /** Shows the image. */
  readonly hasImage?: boolean;
  /** What is more than this is summed up before the turn. */
  readonly compactsBeyondTokens?: number;
}

const run = (cmd: string): ToolCall => ({ name: 'exec_command', input: { cmd } });

/** An agent's id that nobody has. */
const NOBODY = '01a218a9-94cc-7a12-a699-1171fd654f3b';

/** What the subagent is asked, and says. */
const ERRAND = { asked: 'Fetch the word of the errand.', said: 'The word is medlar.' } as const;

/** What the session is summed up to. */
export const SUMMARY = 'So far a kumquat became a quince.';

/** How Codex 0.171.0 asks to sum up. */
const COMPACTION = 'CONTEXT CHECKPOINT COMPACTION';

/** The identifiers of agents that a request tells of, the last one last. */
function agentIn(request: string): string {
  return [...request.matchAll(/agent_id\W+([\da-f-]{36})/g)].at(-1)?.[1] ?? NOBODY;
}

/** Patches where the model has the tool for it, else edits by a command. */
function edit(request: string): readonly ToolCall[] {
  const hasPatches = nameOf('apply_patch', request) !== undefined;
  return [
    hasPatches ? { name: 'apply_patch', input: { input: PATCH } } : run("sed -i 's/pear/Birne 🍐/' list.md"),
  ];
}

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
  { asked: 'The pear in German.', rounds: [edit], said: 'Die Birne.' },
  {
    asked: 'Send an agent.',
    rounds: [
      [{ name: 'spawn_agent', input: { message: ERRAND.asked } }],
      (request) => [{ name: 'wait_agent', input: { targets: [agentIn(request)], timeout_ms: 30_000 } }],
    ],
    said: 'It found a medlar.',
  },
  { asked: 'What is in the image?', rounds: [], said: 'A single pixel.', hasImage: true },
  { asked: 'Go on.', rounds: [], said: 'On it goes.', compactsBeyondTokens: 1_000 },
  { asked: 'Well done?', rounds: [[run('cat notes.txt')]], said: '«Ja», so it is.' },
];

const USAGE = { prompt: 1_000, cached: 0, written: 0, completion: 50, reasoning: 5 };

/** The model of a session: answers as the script says. */
export class CodexModel {
  readonly #host: Host;
  #step = -1;
  #round = 0;
  #answers = 0;
  /** How often it was asked for a summary, and how often by a subagent. */
  readonly asides = { summaries: 0, errands: 0 };

  constructor(host: Host) {
    this.#host = host;
  }

  next(): Step | undefined {
    this.#step += 1;
    this.#round = 0;
    return STEPS[this.#step];
  }

  readonly plan = (body: object): object => {
    const request = JSON.stringify(body);
    const step = STEPS[this.#step];
    this.#answers += 1;
    if (request.includes(COMPACTION)) {
      this.asides.summaries += 1;
      return this.#said({ text: SUMMARY });
    }
    if (request.includes(ERRAND.asked) && !request.includes(`${step?.asked}`)) {
      this.asides.errands += 1;
      return this.#said({ text: ERRAND.said });
    }
    const round = this.#host.lacks.includes('tools') ? undefined : step?.rounds[this.#round];
    this.#round += 1;
    if (round === undefined) return this.#said({ text: step?.said ?? '' });
    const calls = typeof round === 'function' ? round(request) : round;
    return this.#said({
      thoughts: `Well: ${step?.asked}`,
      calls: calls.map(({ name, input }) => ({ name: nameOf(name, request) ?? name, input })),
    });
  };

  #said(turn: Parameters<typeof replyOf>[1]): object {
    return replyOf(this.#host, turn, USAGE, this.#answers);
  }
}

/** The whole name of a tool that the request offers. */
function nameOf(end: string, request: string): string | undefined {
  return new RegExp(`"name":"([\\w.-]*${end})"`).exec(request)?.[1];
}
