/** Clients of the Responses API, unmodified, from a folder of their own: each calls a tool, and says what came of it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder, which `npm run clients` installs. */
export const { RESPONSES_CLIENTS = '' } = process.env;

/** The gateway, and the model that is asked. */
export interface Asked {
  readonly rest: string;
  readonly apiKey: string;
  readonly model: string;
}

export interface Heard {
  readonly text: string;
  /** For which cities the tool was called. */
  readonly cities: readonly string[];
}

/** Asks in one piece, or streamed. */
export type Client = (asked: Asked, isStreamed: boolean) => Promise<Heard>;

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where types are checked.
type Loaded = any;

function load(name: string): Promise<Loaded> {
  const { resolve } = createRequire(join(RESPONSES_CLIENTS, 'package.json'));
  return import(pathToFileURL(resolve(name)).href);
}

const PROMPT = 'Hello there';
const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** https://ai-sdk.dev/providers/ai-sdk-providers/openai */
const aiSdk: Client = async ({ rest, apiKey, model }, isStreamed) => {
  const [{ createOpenAI }, { generateText, jsonSchema, stepCountIs, streamText, tool }] = await Promise.all([
    load('@ai-sdk/openai'),
    load('ai'),
  ]);
  const cities: string[] = [];
  const execute = async ({ city }: { readonly city: string }) => {
    cities.push(city);
    return 'Rain';
  };
  const options = {
    model: createOpenAI({ baseURL: rest, apiKey })(model),
    providerOptions: { openai: { store: false } },
    maxRetries: 0,
    prompt: PROMPT,
    stopWhen: stepCountIs(3),
    tools: {
      weather: tool({ description: 'The weather of a city', inputSchema: jsonSchema(CITY), execute }),
    },
  };
  if (!isStreamed) return { text: (await generateText(options)).text, cities };
  const result = streamText(options);
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
  return { text: await result.text, cities };
};

/** https://openai.github.io/openai-agents-js */
const agents: Client = async ({ rest, apiKey, model }, isStreamed) => {
  const [{ Agent, OpenAIResponsesModel, run, setTracingDisabled, tool }, { default: OpenAI }] =
    await Promise.all([load('@openai/agents'), load('openai')]);
  setTracingDisabled(true);
  const cities: string[] = [];
  const weather = tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: CITY,
    strict: true,
    execute: async ({ city }: { readonly city: string }) => {
      cities.push(city);
      return 'Rain';
    },
  });
  const agent = new Agent({
    name: 'Weather',
    instructions: 'Be brief.',
    model: new OpenAIResponsesModel(new OpenAI({ baseURL: rest, apiKey, maxRetries: 0 }), model),
    modelSettings: { store: false },
    tools: [weather],
  });
  if (!isStreamed) return { text: (await run(agent, PROMPT)).finalOutput, cities };
  const result = await run(agent, PROMPT, { stream: true });
  await result.completed;
  return { text: result.finalOutput, cities };
};

/** https://docs.langchain.com/oss/javascript/integrations/chat/openai */
const langChain: Client = async ({ rest, apiKey, model }, isStreamed) => {
  const [{ ChatOpenAI }, { HumanMessage, ToolMessage }] = await Promise.all([
    load('@langchain/openai'),
    load('@langchain/core/messages'),
  ]);
  const chat = new ChatOpenAI({
    ...{ model, apiKey, maxRetries: 0, useResponsesApi: true, zdrEnabled: true },
    configuration: { baseURL: rest },
  }).bindTools([
    {
      type: 'function',
      function: { name: 'weather', description: 'The weather of a city', parameters: CITY },
    },
  ]);
  const answered = async (messages: unknown[]): Promise<Loaded> => {
    if (!isStreamed) return chat.invoke(messages);
    let whole: Loaded;
    for await (const chunk of await chat.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
    return whole;
  };
  const messages: unknown[] = [new HumanMessage(PROMPT)];
  const called = await answered(messages);
  const calls: { readonly id: string; readonly args: { readonly city: string } }[] = called.tool_calls;
  messages.push(called, ...calls.map(({ id }) => new ToolMessage({ tool_call_id: id, content: 'Rain' })));
  const { text } = await answered(messages);
  return { text, cities: calls.map(({ args }) => args.city) };
};

export const CLIENTS: readonly (readonly [name: string, client: Client])[] = [
  ['the AI SDK', aiSdk],
  ["OpenAI's Agents SDK", agents],
  ['LangChain', langChain],
];

/** The newest version of OpenAI's SDK. */
export async function newestOpenAi(): Promise<Loaded> {
  return (await load('openai')).default;
}
