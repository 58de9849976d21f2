/** Providers that echo what they were called with in every part of an answer. */
import {
  CLIENT_EMAIL,
  PRIVATE_KEY_ID,
  PRIVATE_KEY_PEM,
  PROJECT_ID,
} from '../../support/fakes/fake-vertex/account.js';
import type { Fakes, Platform } from '../../support/platforms.js';

/** The secrets of the platform's credential, and those of its requests. */
export function secretsOf({ slug, fake, credential }: Platform, fakes: Fakes): string[] {
  if (fake === 'vertex') return [CLIENT_EMAIL, PRIVATE_KEY_ID, PROJECT_ID, ...fakes.vertex.tokens];
  const stored = credential(fakes, [[`${slug}/sound`, 'sound']]);
  if (typeof stored === 'string') return [stored];
  const [entry] = [stored].flat() as Readonly<Record<string, string>>[];
  const { accessKeyId, secretAccessKey, api_key } = entry ?? {};
  return [accessKeyId, secretAccessKey, api_key].filter((text) => text !== undefined);
}

/** Secrets that are never sent to a provider. */
export const NEVER_SENT: readonly string[] = PRIVATE_KEY_PEM.split('\n').slice(1, -2);

/** Plans by model name that put this text into an answer. */
type Echo = (platform: Platform, text: string) => object;

function refusal(status: number): Echo {
  return (_, text) => ({
    status,
    headers: { 'x-echo': text, 'www-authenticate': `Bearer ${text}`, 'x-request-id': text },
    body: {
      type: 'error',
      error: {
        message: text,
        type: text,
        code: text,
        status: text,
        param: text,
        details: [{ reason: text }],
      },
      message: text,
      Message: text,
      detail: text,
      __type: text,
      error_description: text,
    },
  });
}

/** All echoes. */
export const ECHOES: Readonly<Record<string, Echo>> = {
  ...Object.fromEntries([400, 401, 403, 404, 429, 500].map((status) => [String(status), refusal(status)])),
  text: (_, text) => ({ status: 502, body: `Bad gateway: ${text}` }),
  page: (_, text) => ({ status: 503, body: `<html><body>${text}</body></html>` }),
  headers: (_, text) => ({ headers: { 'x-echo': text, 'set-cookie': `key=${text}`, 'x-request-id': text } }),
  garbage: (_, text) => ({ answer: text, chunks: [text], events: [text], frames: [Buffer.from(text)] }),
  reported: (_, text) => {
    const error = { type: 'error', error: { message: text, type: text, code: text } };
    return { answer: error, chunks: [error], events: [error], frames: [exception(text)] };
  },
  midstream: (platform, text) => ({
    ...begun(platform),
    answer: { error: text },
    ...later(platform, { error: { message: text, type: 'overloaded_error', code: text, status: text } }),
    frames: [CONTENT, exception(text)],
  }),
};

const CONTENT = { event: 'contentBlockDelta', payload: { contentBlockIndex: 0, delta: { text: 'Well' } } };

function exception(message: string): object {
  return { exception: 'modelStreamErrorException', payload: { message, originalMessage: message } };
}

/** The first bytes of answers and of frames. */
function begun({ slug }: Platform): { readonly beginning: object } {
  if (slug === 'vertex-gemini') {
    return { beginning: { candidates: [{ content: { role: 'model', parts: [{ text: 'Well' }] } }] } };
  }
  if (/anthropic|claude/.test(slug)) {
    const delta = { type: 'text_delta', text: 'Well' };
    return { beginning: { type: 'content_block_delta', index: 0, delta } };
  }
  return { beginning: { choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] } };
}

function later(platform: Platform, error: object): object {
  const pieces = [begun(platform).beginning, { type: 'error', ...error }];
  return { chunks: pieces, events: pieces };
}
