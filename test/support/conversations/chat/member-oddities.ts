/** What is odd about tools, and all members of a chat beside its messages and tools. */
import { inputText } from '../arguments.js';
import type { Rng } from '../rng.js';
import { ODD_SCHEMAS, plainSchema } from '../schemas.js';
import { text } from '../words.js';
import { mark } from './content-oddities.js';
import type { ChatDraft, Oddity } from './draft.js';

function addTool(
  how: (rng: Rng) => { name: string; [member: string]: unknown },
  beside: object = {},
): Oddity {
  return (draft, rng) => {
    draft.tools.push({ type: 'function', function: how(rng), ...beside });
    return true;
  };
}

export const TOOL_ODDITIES: Readonly<Record<string, Oddity>> = {
  ...Object.fromEntries(
    Object.entries(ODD_SCHEMAS).map(([kind, schema]): [string, Oddity] => [
      `a schema with ${kind}`,
      addTool((rng) => {
        const parameters = schema(rng);
        return {
          name: `odd_${rng.hex(4)}`,
          description: text(rng),
          ...(parameters !== undefined && { parameters }),
        };
      }),
    ]),
  ),
  'a strict tool': addTool((rng) => ({
    name: `strict_${rng.hex(4)}`,
    strict: true,
    parameters: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
  })),
  'a strict tool with bounds': addTool((rng) => ({
    name: `strict_${rng.hex(4)}`,
    strict: true,
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 } },
      required: [],
      additionalProperties: false,
    },
  })),
  'a strict tool with a map': addTool((rng) => ({
    name: `strict_${rng.hex(4)}`,
    strict: true,
    parameters: { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
  })),
  'a tool without description': addTool((rng) => ({
    name: `bare_${rng.hex(4)}`,
    parameters: plainSchema(rng),
  })),
  'a tool with an empty description': addTool((rng) => ({
    name: `bare_${rng.hex(4)}`,
    description: '',
    parameters: plainSchema(rng),
  })),
  'a name with dots': addTool((rng) => ({
    name: `github.issues.${rng.hex(4)}`,
    parameters: plainSchema(rng),
  })),
  'a name with a leading digit': addTool((rng) => ({
    name: `3d_${rng.hex(4)}`,
    parameters: plainSchema(rng),
  })),
  'a name with a leading dash': addTool((rng) => ({
    name: `-x_${rng.hex(4)}`,
    parameters: plainSchema(rng),
  })),
  'a name of 64 characters': addTool((rng) => ({
    name: `mcp__${rng.hex(59)}`,
    parameters: plainSchema(rng),
  })),
  'a name beyond 64 characters': addTool((rng) => ({
    name: `mcp__server__${rng.hex(70)}`,
    parameters: plainSchema(rng),
  })),
  'a tool twice': ({ tools }) => {
    const [first] = tools;
    if (first !== undefined) tools.push(structuredClone(first));
    return first !== undefined;
  },
  'a mark on a tool': ({ tools }, rng) => {
    const last = tools.at(-1);
    if (last !== undefined) last.cache_control = mark(rng);
    return last !== undefined;
  },
  'an empty list of tools': (draft) => {
    draft.tools = [];
    draft.members.tools = [];
    return true;
  },
  'no tools beside calls': (draft) => {
    const isUsed = draft.messages.some(({ tool_calls }) => tool_calls !== undefined);
    if (isUsed) draft.tools = [];
    return isUsed;
  },
  'tool_choice without tools': (draft, rng) => {
    draft.tools = [];
    draft.members.tool_choice = rng.pick(['auto', 'none', 'required']);
    return true;
  },
};

const choose =
  (choice: (draft: ChatDraft, rng: Rng) => unknown): Oddity =>
  (draft, rng) => {
    if (draft.tools.length > 0) draft.members.tool_choice = choice(draft, rng);
    return draft.tools.length > 0;
  };

const set =
  (value: (rng: Rng) => object): Oddity =>
  (draft, rng) => {
    Object.assign(draft.members, value(rng));
    return true;
  };

const named = ({ tools }: ChatDraft, rng: Rng) => ({
  type: 'function',
  function: { name: rng.pick(tools).function.name },
});

const ANSWER = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, n: { type: 'integer', minimum: 0 } },
  required: ['ok'],
  additionalProperties: false,
};

export const MEMBERS: Readonly<Record<string, Oddity>> = {
  'tool_choice: auto': choose(() => 'auto'),
  'tool_choice: none': choose(() => 'none'),
  'tool_choice: required': choose(() => 'required'),
  'tool_choice: a function': choose(named),
  'tool_choice: a function that is not there': choose(() => ({
    type: 'function',
    function: { name: 'not_there' },
  })),
  'tool_choice: allowed tools': choose((draft, rng) => ({
    type: 'allowed_tools',
    allowed_tools: { mode: rng.pick(['auto', 'required']), tools: [named(draft, rng)] },
  })),
  parallel_tool_calls: (draft, rng) => {
    if (draft.tools.length > 0) draft.members.parallel_tool_calls = rng.chance(0.5);
    return draft.tools.length > 0;
  },
  max_tokens: set((rng) => ({ max_tokens: 100 + rng.below(8000) })),
  max_completion_tokens: set((rng) => ({ max_completion_tokens: 100 + rng.below(8000) })),
  temperature: set((rng) => ({ temperature: rng.pick([0, 0.3, 1, 1.7, 2]) })),
  top_p: set((rng) => ({ top_p: rng.pick([0, 0.4, 0.95, 1]) })),
  top_k: set((rng) => ({ top_k: rng.pick([0, 1, 40, 400]) })),
  min_p: set(() => ({ min_p: 0.05, repetition_penalty: 1.1, top_a: 0.2 })),
  stop: set((rng) => ({
    stop: rng.pick<unknown>(['END', ['a', 'b', 'c', 'd'], ['\n', 'x'], [], ['1', '2', '3', '4', '5', '6']]),
  })),
  n: set((rng) => ({ n: 1 + rng.below(3) })),
  seed: set((rng) => ({ seed: rng.below(1e9) })),
  logprobs: set((rng) => ({ logprobs: true, ...(rng.chance(0.5) && { top_logprobs: 3 }) })),
  logit_bias: set(() => ({ logit_bias: { '50256': -100 } })),
  frequency_penalty: set((rng) => ({ frequency_penalty: rng.pick([0, 0.5]) })),
  presence_penalty: set((rng) => ({ presence_penalty: rng.pick([0, -0.5]) })),
  user: set((rng) => ({ user: rng.pick(['alice', 'a'.repeat(300)]) })),
  metadata: set((rng) => ({ metadata: { run: rng.hex(6) } })),
  service_tier: set((rng) => ({ service_tier: rng.pick(['auto', 'default', 'flex', 'priority']) })),
  verbosity: set((rng) => ({ verbosity: rng.pick(['low', 'medium', 'high']) })),
  reasoning: set((rng) => ({
    reasoning: rng.pick<object>([
      { effort: 'high' },
      { effort: 'none' },
      { max_tokens: 2000 },
      { enabled: true },
      { enabled: false },
      { effort: 'low', exclude: true },
    ]),
  })),
  reasoning_effort: set((rng) => ({
    reasoning_effort: rng.pick(['minimal', 'low', 'medium', 'high', 'xhigh']),
  })),
  'response_format: json_object': set(() => ({ response_format: { type: 'json_object' } })),
  'response_format: json_schema': set((rng) => ({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', ...(rng.chance(0.5) && { strict: true }), schema: ANSWER },
    },
  })),
  'response_format: text': set(() => ({ response_format: { type: 'text' } })),
  'a mark of the whole chat': set((rng) => ({ cache_control: mark(rng) })),
  stream: set((rng) => ({
    stream: true,
    ...(rng.chance(0.5) && { stream_options: { include_usage: true } }),
  })),
  store: set((rng) => ({
    store: rng.chance(0.5),
    prompt_cache_key: rng.hex(6),
    safety_identifier: rng.hex(6),
  })),
  modalities: set(() => ({ modalities: ['text', 'audio'], audio: { format: 'wav', voice: 'alloy' } })),
  web_search_options: set(() => ({ web_search_options: { search_context_size: 'low' } })),
  'members of caches and moderation': set(() => ({
    prompt_cache_retention: '24h',
    prompt_cache_options: {},
    moderation: {},
  })),
  'functions, before there were tools': ({ messages, tools, members }, rng) => {
    if (tools.length > 0 || messages.some(({ tool_calls }) => tool_calls !== undefined)) return false;
    members.functions = [{ name: 'look', parameters: plainSchema(rng) }];
    members.function_call = rng.pick<unknown>(['auto', { name: 'look' }]);
    messages.push(
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: inputText(rng) } },
      { role: 'function', name: 'look', content: text(rng) },
    );
    return true;
  },
  prediction: set((rng) => ({ prediction: { type: 'content', content: text(rng) } })),
};
