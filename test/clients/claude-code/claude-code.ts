/** Claude Code as a process (https://code.claude.com/docs/en/headless), with a home of its own and no way to anywhere else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Fence } from '../fence.js';

/** Its executable, which `npm run clients` installs. */
export const { CLAUDE_CODE = '' } = process.env;

/** Where it runs and whom it asks. */
export interface Place {
  /** Its working folder and its home. */
  readonly folder: string;
  /** The gateway's root. */
  readonly url: string;
  readonly apiKey: string;
  readonly fence: Fence;
}

export function environment({ folder, url, apiKey, fence }: Place): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ANTHROPIC_BASE_URL: `${url}/api`,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    HTTPS_PROXY: fence.url,
    HTTP_PROXY: fence.url,
    NO_PROXY: '127.0.0.1',
  };
}

/** The end of a turn, as it is printed. */
export interface TurnEnd {
  readonly result: string;
  readonly is_error: boolean;
  readonly session_id: string;
}

/** One session of several turns. */
export interface Session {
  /** Says something, and returns how the turn ended. */
  ask(text: string): Promise<TurnEnd>;
  close(): Promise<void>;
}

export function startSession(place: Place, model: string, tools: readonly string[]): Session {
  const list = tools.join(',');
  const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const args = ['-p', ...stream, '--model', model, '--tools', list, '--allowedTools', list];
  const child = spawn(CLAUDE_CODE, args, {
    cwd: place.folder,
    env: environment(place),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const ends = endsOf(child);
  return {
    async ask(text) {
      const message = { role: 'user', content: [{ type: 'text', text }] };
      child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`);
      const { value, done } = await ends.next();
      if (done === true) throw new Error(`Claude Code ended: ${errors.join('')}`);
      return value;
    },
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function* endsOf({ stdout }: ChildProcess): AsyncGenerator<TurnEnd, undefined> {
  if (stdout === null) return;
  for await (const line of createInterface({ input: stdout })) {
    const event = JSON.parse(line);
    if (event.type === 'result') yield event;
  }
}
