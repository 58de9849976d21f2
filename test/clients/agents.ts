/** Agents in a terminal as processes, each with a home of its own and no way to anywhere else. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Fence } from './fence.js';

/** Their executables, which `npm run clients` installs. */
const { OPENCODE = '', CONTINUE = '', CODEX = '' } = process.env;

/** One run takes some seconds, and on a slow machine several times that. */
export const RUN_MS = 120_000;

export type Api = 'chat' | 'messages';

/** Where it runs, and whom it asks in which way. */
export interface Place {
  /** Its working folder and its home. */
  readonly folder: string;
  /** The gateway's root. */
  readonly url: string;
  readonly apiKey: string;
  readonly fence: Fence;
}

export interface Agent {
  readonly name: string;
  readonly command: string;
  /** Its tool that reads a file. */
  readonly read: (file: string) => { readonly name: string; readonly input: object };
  /** Hosts that it asks besides for what it can do without. */
  readonly strays: RegExp;
  /** Says something, and returns what it prints. */
  ask(place: Place, api: Api, model: string, text: string): Promise<string>;
}

/** https://opencode.ai/docs/cli */
const opencode: Agent = {
  name: 'opencode',
  command: OPENCODE,
  read: (filePath) => ({ name: 'read', input: { filePath } }),
  strays: /^CONNECT registry\.npmjs\.org:443 /,
  ask(place, api, model, text) {
    const npm = api === 'chat' ? '@ai-sdk/openai-compatible' : '@ai-sdk/anthropic';
    const options = { baseURL: `${place.url}/api/v1`, apiKey: '{env:API_KEY}' };
    const models = { [model]: { limit: { context: 128_000, output: 8_192 } } };
    const config = { autoupdate: false, share: 'disabled', provider: { byway: { npm, options, models } } };
    writeFileSync(join(place.folder, 'opencode.json'), JSON.stringify(config));
    const env = { OPENCODE_DISABLE_MODELS_FETCH: '1' };
    return printed(OPENCODE, ['run', '-m', `byway/${model}`, text], place, env);
  },
};

/** https://docs.continue.dev/guides/cli */
const continueCli: Agent = {
  name: 'Continue',
  command: CONTINUE,
  read: (filepath) => ({ name: 'Read', input: { filepath } }),
  strays: /^$/,
  ask(place, api, model, text) {
    const provider = api === 'chat' ? 'openai' : 'anthropic';
    const [apiBase, apiKey] = [`${place.url}/api/v1`, place.apiKey];
    const models = [{ name: 'Byway', provider, model, apiBase, apiKey, roles: ['chat'] }];
    const config = join(place.folder, 'config.yaml');
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ name: 'Byway', version: '1.0.0', schema: 'v1', models }));
    const env = { CONTINUE_TELEMETRY_ENABLED: '0' };
    return printed(CONTINUE, ['-p', '--auto', '--config', config, text], place, env);
  },
};

export const AGENTS: readonly Agent[] = [opencode, continueCli].filter(({ command }) => command !== '');

/** Codex, of which the list of models is asked alone (https://developers.openai.com/codex/cli). */
export const codex = {
  command: CODEX,
  /** The slugs that it knows once it has asked the gateway. */
  async models(place: Place): Promise<string[]> {
    const home = join(place.folder, '.codex');
    mkdirSync(home);
    const config = [
      'model_provider = "byway"',
      '[analytics]',
      'enabled = false',
      '[model_providers.byway]',
      'name = "Byway"',
      `base_url = "${place.url}/api/v1"`,
      'wire_api = "responses"',
      '[model_providers.byway.auth]',
      'command = "printenv"',
      'args = ["API_KEY"]',
    ];
    writeFileSync(join(home, 'config.toml'), config.join('\n'));
    const { models } = JSON.parse(await printed(CODEX, ['debug', 'models'], place, { CODEX_HOME: home }));
    return models.map(({ slug }: { readonly slug: string }) => slug);
  },
};

async function printed(
  command: string,
  args: readonly string[],
  { folder, apiKey, fence }: Place,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const running = promisify(execFile)(command, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      API_KEY: apiKey,
      HTTPS_PROXY: fence.url,
      HTTP_PROXY: fence.url,
      NO_PROXY: '127.0.0.1',
      ...env,
    },
    timeout: RUN_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
  running.child.stdin?.end();
  return (await running).stdout;
}
