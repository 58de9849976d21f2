import type { Rng } from './rng.js';

const TOOLS = [
  'read_file',
  'write_file',
  'bash',
  'Edit',
  'get_weather',
  'search',
  'list-directory',
  'mcp__github__create_issue',
  'mcp__linear__list_issues',
  'todo_write',
];

/** Names as agents and MCP servers have them: 64 letters, digits, _ and - at most. */
export function toolNames(rng: Rng, count: number): string[] {
  return rng.sample(TOOLS, count);
}

/** Ids of calls as providers and servers of open models give them. */
export const IDS = {
  openai: (rng: Rng) => `call_${rng.hex(24)}`,
  claude: (rng: Rng) => `toolu_01${rng.hex(22)}`,
  bedrock: (rng: Rng) => `tooluse_${rng.hex(10)}-${rng.hex(11)}`,
  vllm: (rng: Rng) => `chatcmpl-tool-${rng.hex(32)}`,
  nine: (rng: Rng) => rng.hex(9).toUpperCase(),
  uuid: (rng: Rng) => `${rng.hex(8)}-${rng.hex(4)}-${rng.hex(4)}-${rng.hex(4)}-${rng.hex(12)}`,
  kimi: (rng: Rng) => `functions.read_file:${rng.below(90)}`,
  spaced: (rng: Rng) => `call ${rng.hex(6)}. ${rng.below(9)}: /a`,
  long: (rng: Rng) => `call_${rng.hex(60 + rng.below(400))}`,
} as const;

/** What a model calls a tool that it was not given, or in another way. */
export const INVENTED = {
  dotted: (rng: Rng) => `functions.${rng.pick(['read', 'exec'])}.${rng.hex(4)}`,
  coloned: (rng: Rng) => `github:create_issue:${rng.hex(3)}`,
  slashed: (rng: Rng) => `mcp/server-${rng.hex(3)}/run it`,
  'with a leading digit': (rng: Rng) => `3d_render_${rng.hex(3)}`,
  long: (rng: Rng) => `mcp__very_long_server_name__${'with_many_words_'.repeat(3)}${rng.hex(20)}`,
  'beyond 200 characters': (rng: Rng) => `python -c ${'print(1);'.repeat(24)}${rng.hex(3)}`,
  'in another script': (rng: Rng) => `検索_${rng.hex(3)}`,
  empty: () => '',
} as const;
