/** LangChain's models of chats and of Messages (https://docs.langchain.com/oss/javascript), unmodified, from a folder of their own. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Address,
  type Client,
  type Expected,
  expectedOfChats,
  expectedOfMessages,
  type Heard,
} from '../endpoint/answers/clients.js';
import type { Meant } from '../endpoint/answers/meant.js';

/** A message as far as tests read it: `AIMessage` and `AIMessageChunk` of `@langchain/core`. */
interface Message {
  readonly content: string | readonly Readonly<Record<string, unknown>>[];
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
  readonly response_metadata: Readonly<Record<string, unknown>>;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: object }[];
  readonly usage_metadata?: {
    readonly input_tokens: number;
    readonly input_token_details?: { readonly cache_read?: number };
  };
  concat(next: Message): Message;
}

interface Model {
  invoke(prompt: string): Promise<Message>;
  stream(prompt: string): Promise<AsyncIterable<Message>>;
}

type Loaded = Readonly<Record<string, new (options: object) => Model>>;

async function load(folder: string, name: string): Promise<Loaded> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return import(pathToFileURL(resolve(name)).href);
}

async function answered(model: Model, isStreamed: boolean): Promise<Message> {
  if (!isStreamed) return model.invoke('Hello there');
  let whole: Message | undefined;
  for await (const chunk of await model.stream('Hello there')) whole = whole?.concat(chunk) ?? chunk;
  if (whole === undefined) throw new Error('the stream had no chunk');
  return whole;
}

function heardIn(message: Message, finish: unknown): Heard {
  const { content, additional_kwargs, tool_calls = [], usage_metadata: usage } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const all = (type: string) =>
    blocks.map((block) => (block.type === type ? String(block[type]) : '')).join('');
  return {
    content: all('text'),
    reasoning: all('thinking'),
    refusal: String(additional_kwargs.refusal ?? ''),
    calls: tool_calls.map(({ id = '', name, args }) => ({ id, name, args: JSON.stringify(args) })),
    finish: String(finish),
    prompt: usage?.input_tokens ?? -1,
    cached: usage?.input_token_details?.cache_read ?? -1,
  };
}

const UNCOUNTED = { prompt: -1, cached: -1 } as const;

/** `ChatOpenAI`, which reads neither `reasoning` nor `refusal`. */
export async function langChainOfChats(folder: string, { rest, apiKey }: Address): Promise<Client> {
  const { ChatOpenAI } = await load(folder, '@langchain/openai');
  if (ChatOpenAI === undefined) throw new Error('@langchain/openai has no ChatOpenAI');
  return {
    name: '@langchain/openai',
    isNative: false,
    async ask(model, isStreamed) {
      const client = new ChatOpenAI({ model, apiKey, configuration: { baseURL: rest }, maxRetries: 0 });
      const message = await answered(client, isStreamed);
      return heardIn(message, message.response_metadata.finish_reason);
    },
    expects: (meant: Meant): Expected => ({ ...expectedOfChats(meant), reasoning: '', refusal: '' }),
  };
}

/** `ChatAnthropic`, which takes the counts of a prompt from where a stream begins: a host of another API has not counted then. */
export async function langChainOfMessages(folder: string, { url, apiKey }: Address): Promise<Client> {
  const { ChatAnthropic } = await load(folder, '@langchain/anthropic');
  if (ChatAnthropic === undefined) throw new Error('@langchain/anthropic has no ChatAnthropic');
  return {
    name: '@langchain/anthropic',
    isNative: true,
    async ask(model, isStreamed) {
      const client = new ChatAnthropic({ model, apiKey, anthropicApiUrl: `${url}/api`, maxRetries: 0 });
      const message = await answered(client, isStreamed);
      const heard = heardIn(
        message,
        message.response_metadata.stop_reason ?? message.additional_kwargs.stop_reason,
      );
      return isStreamed ? { ...heard, ...UNCOUNTED } : heard;
    },
    expects: (meant: Meant, isStreamed: boolean): Expected =>
      isStreamed ? { ...expectedOfMessages(meant), ...UNCOUNTED } : expectedOfMessages(meant),
  };
}
