/** What the clients of both APIs put together of an answer, unmodified. */
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { finishOf, type Meant, stopOf } from './meant.js';

/** An answer as its client has it. */
export interface Heard {
  readonly content: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly finish: string | null | undefined;
  readonly prompt: number;
  readonly cached: number;
}

type HeardCall = Omit<Heard['calls'][number], 'id'>;

/** An answer as its client has it, but for ids. */
export type Expected = Omit<Heard, 'calls'> & { readonly calls: readonly HeardCall[] };

export interface Client {
  readonly name: string;
  /** Whether it is sent what a host of Messages answers as that came. */
  readonly isNative: boolean;
  readonly isAlwaysStreamed?: boolean;
  ask(model: string, isStreamed: boolean): Promise<Heard>;
  /** What it has of what the model meant. */
  expects(meant: Meant, isStreamed: boolean): Expected;
}

export interface Address {
  readonly url: string;
  readonly rest: string;
  readonly apiKey: string;
}

const MESSAGES = [{ role: 'user' as const, content: 'Hello there' }];

/** What a client of chats has. */
export function expectedOfChats(meant: Meant): Expected {
  const { end, completion, ...told } = meant;
  return { ...told, finish: finishOf(meant) };
}

/** What a client of Messages has: refusals are texts there. */
export function expectedOfMessages(meant: Meant): Expected {
  const content = meant.content + meant.refusal;
  return { ...expectedOfChats(meant), content, refusal: '', finish: stopOf(meant) };
}

export function openAiClient({ rest, apiKey }: Address): Client {
  const client = new OpenAI({ baseURL: rest, apiKey, maxRetries: 0 });
  const ask = async (model: string, isStreamed: boolean): Promise<Heard> => {
    const request = { model, messages: MESSAGES };
    if (!isStreamed) return heardIn(await client.chat.completions.create(request));
    const stream = client.chat.completions.stream(request);
    let reasoning = '';
    let usage: OpenAI.CompletionUsage | undefined;
    stream.on('chunk', (chunk) => {
      const [choice] = chunk.choices;
      reasoning += (choice?.delta as { reasoning?: string } | undefined)?.reasoning ?? '';
      usage = chunk.usage ?? usage;
    });
    const answer = await stream.finalChatCompletion();
    return heardIn({ ...answer, ...(usage && { usage }) }, reasoning);
  };
  return { name: 'openai', isNative: false, ask, expects: expectedOfChats };
}

function heardIn({ choices: [choice], usage }: OpenAI.ChatCompletion, reasoning?: string): Heard {
  const { content, refusal, tool_calls = [], ...message } = choice?.message ?? {};
  return {
    content: content ?? '',
    refusal: refusal ?? '',
    reasoning: reasoning ?? (message as { reasoning?: string }).reasoning ?? '',
    calls: tool_calls.flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, args: call.function.arguments }]
        : [],
    ),
    finish: choice?.finish_reason,
    prompt: usage?.prompt_tokens ?? -1,
    cached: usage?.prompt_tokens_details?.cached_tokens ?? -1,
  };
}

export function anthropicClient({ url, apiKey }: Address): Client {
  const client = new Anthropic({ baseURL: `${url}/api`, apiKey, authToken: null, maxRetries: 0 });
  const ask = async (model: string, isStreamed: boolean): Promise<Heard> => {
    const request = { model, max_tokens: 1_024, messages: MESSAGES };
    const message = isStreamed
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    const { content, stop_reason, usage } = message;
    const cached = usage.cache_read_input_tokens ?? 0;
    return {
      content: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      refusal: '',
      calls: content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ id: block.id, name: block.name, args: JSON.stringify(block.input) }]
          : [],
      ),
      finish: stop_reason,
      prompt: usage.input_tokens + cached,
      cached,
    };
  };
  return { name: 'anthropic', isNative: true, ask, expects: expectedOfMessages };
}

const ANY = jsonSchema<Record<string, unknown>>({ type: 'object' });

const AI_FINISH: Readonly<Record<string, string>> = {
  tool_use: 'tool-calls',
  end_turn: 'stop',
  max_tokens: 'length',
  refusal: 'content-filter',
};

/** The AI SDK, over Messages. */
export function aiSdkClient({ rest, apiKey }: Address): Client {
  const provider = createAnthropic({ baseURL: rest, authToken: apiKey });
  const anything = tool({ description: 'Anything', inputSchema: ANY, execute: async () => null });
  const tools = { look: anything, look_up: anything, f: anything };
  const ask = async (model: string): Promise<Heard> => {
    const result = streamText({
      model: provider(model),
      maxRetries: 0,
      maxOutputTokens: 1_024,
      prompt: 'Hello there',
      tools,
    });
    const [content, reasoning, calls, finish] = [
      await result.text,
      await result.reasoningText,
      await result.toolCalls,
      await result.finishReason,
    ];
    return {
      content,
      reasoning: reasoning ?? '',
      refusal: '',
      calls: calls.map(({ toolCallId, toolName, input }) => ({
        id: toolCallId,
        name: toolName,
        args: JSON.stringify(input),
      })),
      finish,
      prompt: -1,
      cached: -1,
    };
  };
  const expects = (meant: Meant): Expected => ({
    ...expectedOfMessages(meant),
    finish: AI_FINISH[stopOf(meant)],
    prompt: -1,
    cached: -1,
  });
  return { name: 'ai sdk', isNative: true, isAlwaysStreamed: true, ask, expects };
}
