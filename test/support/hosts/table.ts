/** Every host whose rules are known, and the model that it is asked for. */
import type { AdapterName } from '../../../src/catalog/types.js';
import { CHAT_HOSTS } from '../strict/hosts/index.js';
import { NATIVE_HOSTS } from '../strict/native/hosts.js';
import { RESPONSES_AZURE } from '../strict/native/responses.js';

/** What a conversation may have that a host lacks. */
export type Lack = 'tools' | 'images' | 'files' | 'streamed tools';

export interface Host {
  /** Its name and, where a host is there with several models, the model's. */
  readonly name: string;
  /** The slug of its provider. */
  readonly provider: string;
  readonly adapter: Exclude<AdapterName, 'demo'>;
  /** The fake that plays it. */
  readonly fake: 'openai' | 'azure' | 'anthropic' | 'bedrock' | 'vertex';
  /** What it is sent where a chat is asked for. */
  readonly format: 'chat' | 'messages' | 'converse' | 'gemini' | 'responses';
  /** The model's name at the host. */
  readonly model: string;
  readonly lacks: readonly Lack[];
}

/** By name, or name and model; as `src/providers/openai/chat/contracts.ts` has it, and Converse's documents of models. */
const LACKS: Readonly<Record<string, readonly Lack[]>> = {
  cerebras: ['files'],
  'converse-llama': ['streamed tools'],
  'converse-mistral': ['streamed tools'],
  deepseek: ['images', 'files'],
  'deepseek deepseek-flash': ['files'],
  groq: ['files'],
  perplexity: ['tools'],
};

const CHAT: readonly Host[] = CHAT_HOSTS.map(({ name, model }) => ({
  name: `${name} ${model}`,
  provider: name,
  adapter: name === 'azure' ? 'azure' : 'openai',
  fake: name === 'azure' ? 'azure' : 'openai',
  format: 'chat',
  model,
  lacks: LACKS[`${name} ${model}`] ?? LACKS[name] ?? [],
}));

const ADAPTERS = { messages: 'anthropic', converse: 'amazon-bedrock', gemini: 'google-vertex' } as const;
const FAKES = { anthropic: 'anthropic', 'amazon-bedrock': 'bedrock', 'google-vertex': 'vertex' } as const;

/** Claude at Bedrock is there once: a chat is sent to it over Converse, Messages over InvokeModel. At Foundry it has Anthropic's API. */
const ELSEWHERE: readonly string[] = ['claude-bedrock', 'claude-foundry'];

const NATIVE: readonly Host[] = NATIVE_HOSTS.filter(({ name }) => !ELSEWHERE.includes(name)).map(
  ({ name, format, model }): Host => {
    if (format === 'chat') throw new Error(`${name} is no host with a format of its own`);
    const adapter = name === 'claude-vertex' ? 'google-vertex' : ADAPTERS[format];
    return {
      name,
      provider: adapter,
      adapter,
      fake: FAKES[adapter],
      format,
      model,
      lacks: LACKS[name] ?? [],
    };
  },
);

/** OpenAI's model at Azure, by an endpoint that speaks Responses alone. */
const RESPONSES: Host = {
  name: RESPONSES_AZURE.name,
  provider: 'azure',
  adapter: 'azure',
  fake: 'azure',
  format: 'responses',
  model: RESPONSES_AZURE.model,
  lacks: [],
};

export const HOSTS: readonly Host[] = [...CHAT, ...NATIVE, RESPONSES];

/** The id of the host's model in a catalogue of all of them. */
export function modelIdOf({ provider, model }: Host): string {
  const [name = ''] = (model.split('/').at(-1) ?? '').split(/[:@]/);
  return `${provider}/${name}`;
}

/** Whether it is asked for Messages by who speaks them, and not for a chat. */
export function speaksMessages({ name }: Host): boolean {
  return name.startsWith('anthropic') || name === 'claude-vertex' || name === 'converse-claude';
}

/** Whether Responses requests are sent to it as they come. */
export function speaksResponses({ provider, format }: Host): boolean {
  return provider === 'openai' || format === 'responses';
}
