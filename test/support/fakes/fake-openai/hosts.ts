/** Hosts that copy OpenAI's chats and refuse some of them, each in its own words: the judges of `test/support/strict`. */
import type { IncomingMessage } from 'node:http';
import { CHAT_HOSTS } from '../../strict/hosts/index.js';
import type { AtEnd } from '../fake-server.js';
import { chunksOf, wholeAnswer } from './answer.js';
import { bodyRefusal, type FakeError } from './errors.js';
import type { ChatCall, FakePlan, ReasoningForm } from './plan.js';
import { type FakeFormat, type FakeProvider, startFakeProvider } from './server.js';

interface Copy {
  /** The path that all others of the host are below. */
  readonly root: string;
  readonly reasoningAs?: ReasoningForm;
  readonly isMetered?: boolean;
}

/** By name; how they have reasoning and usage is in docs/providers/openai-compatible.md. */
const COPIES = {
  alibaba: { root: '/compatible-mode/v1' },
  cerebras: { root: '/v1', reasoningAs: 'reasoning' },
  deepseek: { root: '' },
  fireworks: { root: '/inference/v1' },
  'google-ai-studio': { root: '/v1beta/openai' },
  groq: { root: '/openai/v1', reasoningAs: 'reasoning' },
  mistral: { root: '/v1', reasoningAs: 'parts', isMetered: true },
  moonshotai: { root: '/v1' },
  openrouter: { root: '/api/v1', reasoningAs: 'reasoning' },
  perplexity: { root: '' },
  together: { root: '/v1', reasoningAs: 'reasoning' },
  unknown: { root: '/v1' },
  xai: { root: '/v1' },
  'z-ai': { root: '/api/paas/v4' },
} as const satisfies Readonly<Record<string, Copy>>;

export type FakeHostName = keyof typeof COPIES;

export const FAKE_HOSTS: ReadonlySet<string> = new Set(Object.keys(COPIES));

/** Starts a host that takes any key and ends with the test, or when `atEnd` says so. */
export function startFakeHost(name: FakeHostName, atEnd?: AtEnd): Promise<FakeProvider> {
  const host = CHAT_HOSTS.find((one) => one.name === name);
  if (host === undefined) throw new Error(`no rules are known of ${name}`);
  const { root, ...own }: Copy = COPIES[name];
  const planOf = (plan: FakePlan): FakePlan => ({ ...own, ...plan });
  const format: FakeFormat = {
    root,
    headers: {},
    refusalOf: ({ url }: IncomingMessage, text) => {
      if (url !== `${root}/chat/completions`) return notFound(String(url));
      return bodyRefusal(text, host);
    },
    modelOf: (_, { model = '' }) => model,
    wholeAnswer: (call: ChatCall, plan) => wholeAnswer(call, planOf(plan)),
    chunksOf: (call: ChatCall, plan) => chunksOf(call, planOf(plan)),
  };
  return startFakeProvider(format, atEnd);
}

function notFound(url: string): FakeError {
  return { status: 404, body: { error: { message: `Not found: ${url}`, type: 'invalid_request_error' } } };
}
