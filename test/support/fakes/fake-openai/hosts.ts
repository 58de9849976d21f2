/** Hosts that copy OpenAI's chats and refuse some of them, each in its own words: the judges of `test/support/strict`. */
import type { IncomingMessage } from 'node:http';
import { CHAT_HOSTS } from '../../strict/hosts/index.js';
import { refusalOf } from '../../strict/rule.js';
import type { AtEnd } from '../fake-server.js';
import { chunksOf, wholeAnswer } from './answer.js';
import { type FakeFormat, type FakeProvider, startFakeProvider } from './server.js';

/** By name, the path that all others of a host are below. */
const ROOTS = {
  deepseek: '',
  mistral: '/v1',
  groq: '/openai/v1',
  fireworks: '/inference/v1',
  'google-ai-studio': '/v1beta/openai',
  unknown: '/v1',
} as const satisfies Readonly<Record<string, string>>;

export type FakeHostName = keyof typeof ROOTS;

/** Starts a host that takes any key and ends with the test, or when `atEnd` says so. */
export function startFakeHost(name: FakeHostName, atEnd?: AtEnd): Promise<FakeProvider> {
  const host = CHAT_HOSTS.find((one) => one.name === name);
  if (host === undefined) throw new Error(`no rules are known of ${name}`);
  const format: FakeFormat = {
    root: ROOTS[name],
    headers: {},
    refusalOf: (_: IncomingMessage, text) => refusalOf(host, JSON.parse(text)),
    modelOf: (_, { model = '' }) => model,
    wholeAnswer,
    chunksOf,
  };
  return startFakeProvider(format, atEnd);
}
