/** Hosts that copy OpenAI's chats and refuse some of their members, each in its own words. */
import type { IncomingMessage } from 'node:http';
import { chunksOf, wholeAnswer } from './answer.js';
import type { FakeError } from './errors.js';
import type { ChatCall } from './plan.js';
import { type FakeFormat, type FakeProvider, startFakeProvider } from './server.js';

interface FakeHost {
  readonly root: string;
  refusalOf(call: ChatCall): FakeError | undefined;
}

const HOSTS = {
  /** Its roles: https://github.com/earendil-works/pi/issues/1048. It ignores members that it does not know. */
  deepseek: {
    root: '',
    refusalOf: ({ messages = [] }) => {
      const index = messages.findIndex(({ role }) => role === 'developer');
      const message = `messages[${index}].role: unknown variant \`developer\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``;
      return index === -1 ? undefined : error(400, { message, type: 'invalid_request_error', code: null });
    },
  },
  /** It names what it does not know: https://github.com/partITech/php-mistral/issues/76. */
  mistral: {
    root: '/v1',
    refusalOf: (call) => {
      const name = Object.keys(call).find((one) => !MISTRAL_MEMBERS.has(one));
      if (name === undefined) return undefined;
      const detail = [
        { type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' },
      ];
      return { status: 422, body: { object: 'error', detail, type: 'invalid_request_error', code: 3001 } };
    },
  },
  /** `property 'verbosity' is unsupported`: https://github.com/CherryHQ/cherry-studio/issues/11435. */
  groq: {
    root: '/openai/v1',
    refusalOf: (call) => {
      const name = ['verbosity', 'top_k', 'min_p', 'top_a', 'store'].find((one) => call[one] !== undefined);
      if (name === undefined) return undefined;
      return error(400, { message: `property '${name}' is unsupported`, type: 'invalid_request_error' });
    },
  },
  /** `Extra inputs are not permitted, field: ...`: https://github.com/web-infra-dev/midscene/issues/1322. */
  fireworks: {
    root: '/inference/v1',
    refusalOf: (call) => {
      const name = ['verbosity', 'top_a'].find((one) => call[one] !== undefined);
      if (name === undefined) return undefined;
      const message = `Extra inputs are not permitted, field: '${name}', value: ${JSON.stringify(call[name])}`;
      return error(400, { object: 'error', type: 'invalid_request_error', message });
    },
  },
} as const satisfies Readonly<Record<string, FakeHost>>;

/** Of https://docs.mistral.ai/api, as far as requests have them. */
const MISTRAL_MEMBERS: ReadonlySet<string> = new Set(
  `model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools tool_choice
   presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort guardrails
   safe_prompt`.split(/\s+/),
);

export type FakeHostName = keyof typeof HOSTS;

/** Starts a host that takes any key and ends with the test. */
export function startFakeHost(name: FakeHostName): Promise<FakeProvider> {
  const host: FakeHost = HOSTS[name];
  const format: FakeFormat = {
    root: host.root,
    headers: {},
    refusalOf: (_: IncomingMessage, text) => host.refusalOf(JSON.parse(text)),
    modelOf: (_, { model = '' }) => model,
    wholeAnswer,
    chunksOf,
  };
  return startFakeProvider(format);
}

function error(status: number, described: object): FakeError {
  return { status, body: { error: described } };
}
