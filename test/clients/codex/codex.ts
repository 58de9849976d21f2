/** Codex as a process (https://developers.openai.com/codex/noninteractive), with a home of its own and no way to anywhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Fence } from '../fence.js';

/** Its executable, which `npm run clients` installs. */
export const { CODEX = '' } = process.env;

/** Where it runs and whom it asks. */
export interface CodexPlace {
  /** Its working folder; its home is a folder below it. */
  readonly folder: string;
  /** Root of the gateway's REST operations. */
  readonly rest: string;
  readonly apiKey: string;
  readonly fence: Fence;
}

/** What a turn printed. */
export interface CodexTurn {
  /** What the model said last. */
  readonly said: string;
  /** The commands that it ran, with what they printed. */
  readonly commands: readonly { readonly output: string; readonly exitCode: number }[];
  /** The files that it patched. */
  readonly patched: readonly string[];
  /** Why the turn failed; undefined where it did not. */
  readonly failure: string | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  /** What it warned of. */
  readonly warnings: readonly string[];
}

export interface CodexOptions {
  readonly model: string;
  /** Goes on with the last session. */
  readonly resumes?: boolean;
  /** Asks for the gateway's list of models first, as it does where a command tells the key. */
  readonly listsModels?: boolean;
  /** Files of images to show, below the working folder. */
  readonly images?: readonly string[];
  /** More of its settings, as TOML values. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** One turn of a session. */
export async function codexTurn(
  place: CodexPlace,
  prompt: string,
  options: CodexOptions,
): Promise<CodexTurn> {
  const home = join(place.folder, '.codex');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.toml'), configured(place, options));
  const settings = Object.entries(options.settings ?? {}).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const turn = options.resumes ? ['exec', 'resume', '--last'] : ['exec'];
  const images = (options.images ?? []).flatMap((file) => ['--image', file]);
  const unasked = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json'];
  const child = spawn(CODEX, [...turn, ...unasked, ...settings, ...images, '--', prompt], {
    cwd: place.folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: place.folder,
      CODEX_HOME: home,
      BYWAY_API_KEY: place.apiKey,
      HTTPS_PROXY: place.fence.url,
      HTTP_PROXY: place.fence.url,
      NO_PROXY: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return turnIn(printed, errors);
}

function configured({ rest, apiKey }: CodexPlace, { model, listsModels }: CodexOptions): string {
  const key = listsModels
    ? ['[model_providers.byway.auth]', 'command = "echo"', `args = ["${apiKey}"]`]
    : ['env_key = "BYWAY_API_KEY"'];
  return [
    `model = "${model}"`,
    'model_provider = "byway"',
    'check_for_update_on_startup = false',
    '[features]',
    'plugins = false',
    'apps = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.byway]',
    'name = "Byway"',
    `base_url = "${rest}"`,
    'wire_api = "responses"',
    ...key,
    '',
  ].join('\n');
}

/** An event of `--json`. */
interface Printed {
  readonly type: string;
  readonly message?: string;
  readonly error?: { readonly message: string };
  readonly usage?: CodexTurn['usage'];
  readonly item?: {
    readonly type: string;
    readonly text?: string;
    readonly message?: string;
    readonly aggregated_output?: string;
    readonly exit_code?: number;
    readonly changes?: readonly { readonly path: string }[];
  };
}

function turnIn(printed: string, errors: string): CodexTurn {
  const events = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Printed => JSON.parse(line));
  const items = events.flatMap(({ type, item }) =>
    type === 'item.completed' && item !== undefined ? [item] : [],
  );
  const ended = events.find(({ type }) => type === 'turn.completed');
  const failed = events.findLast(({ type }) => type === 'turn.failed');
  return {
    said: items.findLast(({ type }) => type === 'agent_message')?.text ?? '',
    commands: items.flatMap(({ type, aggregated_output = '', exit_code = -1 }) =>
      type === 'command_execution' ? [{ output: aggregated_output, exitCode: exit_code }] : [],
    ),
    patched: items.flatMap(({ changes = [] }) => changes.map(({ path }) => path)),
    failure: ended === undefined ? (failed?.error?.message ?? errors) : undefined,
    usage: ended?.usage,
    warnings: items.flatMap(({ type, message = '' }) => (type === 'error' ? [message] : [])),
  };
}
