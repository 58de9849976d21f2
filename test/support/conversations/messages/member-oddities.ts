/** What is odd about tools, and all members of a Messages body beside its messages and tools. */
import { input } from '../arguments.js';
import type { Rng } from '../rng.js';
import { ODD_SCHEMAS, plainSchema } from '../schemas.js';
import { text } from '../words.js';
import { mark } from './content-oddities.js';
import { allBlocks, type MessagesDraft, type Oddity, type Tool } from './draft.js';

function addTool(how: (rng: Rng) => Tool, ...betas: readonly string[]): Oddity {
  return (draft, rng) => {
    draft.tools.push(how(rng));
    draft.betas.push(...betas);
    return true;
  };
}

export const TOOL_ODDITIES: Readonly<Record<string, Oddity>> = {
  ...Object.fromEntries(
    Object.entries(ODD_SCHEMAS).map(([kind, schema]): [string, Oddity] => [
      `a schema with ${kind}`,
      addTool((rng) => ({
        name: `odd_${rng.hex(4)}`,
        description: text(rng),
        input_schema: schema(rng) ?? { type: 'object' },
      })),
    ]),
  ),
  eager_input_streaming: (draft) => {
    for (const tool of draft.tools) tool.eager_input_streaming = true;
    return draft.tools.length > 0;
  },
  defer_loading: (draft, rng) => {
    draft.tools.push(
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { name: `later_${rng.hex(4)}`, input_schema: plainSchema(rng), defer_loading: true },
    );
    draft.betas.push('advanced-tool-use-2025-11-20');
    return true;
  },
  input_examples: addTool(
    (rng) => ({
      name: `shown_${rng.hex(4)}`,
      input_schema: { type: 'object' },
      input_examples: [{ note: rng.hex(4) }],
    }),
    'advanced-tool-use-2025-11-20',
  ),
  'a strict tool': addTool((rng) => ({
    name: `strict_${rng.hex(4)}`,
    strict: true,
    input_schema: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
  })),
  'type custom': addTool((rng) => ({
    type: 'custom',
    name: `own_${rng.hex(4)}`,
    input_schema: plainSchema(rng),
  })),
  'a name of 100 characters': addTool((rng) => ({
    name: `mcp__server__${rng.hex(87)}`,
    input_schema: plainSchema(rng),
  })),
  'a name with dots': addTool((rng) => ({
    name: `github.issues.${rng.hex(4)}`,
    input_schema: plainSchema(rng),
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
    const isUsed = allBlocks(draft, 'tool_use').length > 0;
    if (isUsed) draft.tools = [];
    return isUsed;
  },
};

const set =
  (value: (rng: Rng) => object, ...betas: readonly string[]): Oddity =>
  (draft, rng) => {
    Object.assign(draft.members, value(rng));
    draft.betas.push(...betas);
    return true;
  };

const choose =
  (choice: (draft: MessagesDraft, rng: Rng) => object): Oddity =>
  (draft, rng) => {
    if (draft.tools.length === 0) return false;
    draft.members.tool_choice = {
      ...choice(draft, rng),
      ...(rng.chance(0.3) && { disable_parallel_tool_use: true }),
    };
    return true;
  };

export const MEMBERS: Readonly<Record<string, Oddity>> = {
  'tool_choice: auto': choose(() => ({ type: 'auto' })),
  'tool_choice: any': choose(() => ({ type: 'any' })),
  'tool_choice: none': (draft) => {
    draft.members.tool_choice = { type: 'none' };
    return draft.tools.length > 0;
  },
  'tool_choice: tool': choose(({ tools }, rng) => ({ type: 'tool', name: rng.pick(tools).name })),
  'tool_choice without tools': (draft) => {
    draft.tools = [];
    draft.members.tool_choice = { type: 'auto' };
    return true;
  },
  'thinking: enabled': set((rng) => ({
    thinking: { type: 'enabled', budget_tokens: 1024 + rng.below(4000) },
    max_tokens: 8000,
  })),
  'thinking: adaptive': set((rng) => ({
    thinking: { type: 'adaptive', ...(rng.chance(0.5) && { display: 'omitted' }) },
  })),
  'thinking: disabled': set(() => ({ thinking: { type: 'disabled' } })),
  'output_config: effort': set(
    (rng) => ({ output_config: { effort: rng.pick(['low', 'medium', 'high', 'max']) } }),
    'effort-2025-11-24',
  ),
  'output_config: format': set(() => ({
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { ok: { type: 'boolean' } },
          required: ['ok'],
          additionalProperties: false,
        },
      },
    },
  })),
  stop_sequences: set((rng) => ({
    stop_sequences: rng.pick([['END'], ['a', 'b', 'c', 'd', 'e', 'f'], ['\n', 'x'], []]),
  })),
  temperature: set((rng) => ({ temperature: rng.pick([0, 0.5, 1]) })),
  top_p: set((rng) => ({ top_p: rng.pick([0.4, 0.95]) })),
  top_k: set((rng) => ({ top_k: 1 + rng.below(400) })),
  metadata: set((rng) => ({
    metadata: {
      user_id: rng.pick(['alice', JSON.stringify({ device_id: rng.hex(64), session_id: rng.hex(32) })]),
    },
  })),
  service_tier: set((rng) => ({ service_tier: rng.pick(['auto', 'standard_only']) })),
  'a mark of the whole request': set((rng) => ({ cache_control: mark(rng) })),
  context_management: set(
    () => ({ context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }),
    'context-management-2025-06-27',
  ),
  stream: set(() => ({ stream: true })),
  'members of the account': set((rng) => ({
    user_profile_id: `prof_${rng.hex(6)}`,
    workspace_id: `wrkspc_${rng.hex(6)}`,
  })),
  inference_geo: set((rng) => ({ inference_geo: rng.pick(['global', 'us']) })),
  container: set((rng) => ({ container: `container_${rng.hex(6)}` }), 'code-execution-2025-08-25'),
  speed: set((rng) => ({ speed: rng.pick(['standard', 'fast']) }), 'fast-mode-2026-02-01'),
  diagnostics: set(() => ({ diagnostics: {} })),
  mcp_servers: set(
    () => ({ mcp_servers: [{ type: 'url', name: 'docs', url: 'https://mcp.example/sse' }] }),
    'mcp-client-2025-11-20',
  ),
  'betas of Claude Code': (draft) => {
    draft.betas.push(
      'claude-code-20250219',
      'interleaved-thinking-2025-05-14',
      'fine-grained-tool-streaming-2025-05-14',
    );
    return true;
  },
  'a member that is new': set((rng) => ({ [`new_${rng.hex(3)}`]: input(rng) })),
};
