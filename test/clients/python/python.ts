/** Clients of Python as processes, with no way to anywhere but the gateway. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Fence } from '../fence.js';

/** Two Pythons, which `npm run clients` installs: instructor wants other versions of what the others want. */
export const { CLIENTS_PYTHON = '', INSTRUCTOR_PYTHON = '' } = process.env;

/** A script asks at every host, and on a busy machine takes its time. */
export const RUN_MS = 300_000;

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** What the clients know without asking for it: models and their prices, and the words of tokenizers. */
const OFFLINE = {
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS: 'True',
  LITELLM_LOG: 'ERROR',
  HF_HUB_OFFLINE: '1',
};

/** Whom a script asks. */
export interface Asked {
  /** The gateway's root. */
  readonly url: string;
  readonly apiKey: string;
  readonly fence: Fence;
}

/** What a script of this folder prints, as JSON. */
export async function heardFrom(
  python: string,
  script: string,
  { url, apiKey, fence }: Asked,
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(python, ['-W', 'ignore', join(FOLDER, script)], {
    env: {
      ...OFFLINE,
      PYTHONDONTWRITEBYTECODE: '1',
      API_KEY: apiKey,
      OPENAI_API_KEY: apiKey,
      OPENAI_BASE_URL: `${url}/api/v1`,
      ANTHROPIC_API_KEY: apiKey,
      ANTHROPIC_BASE_URL: `${url}/api`,
      HTTPS_PROXY: fence.url,
      HTTP_PROXY: fence.url,
      NO_PROXY: '127.0.0.1',
      ...env,
    },
    timeout: RUN_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}
