/**
 * Violations in the body of a Messages request. What may be in it are the types of the package `@anthropic-ai/sdk`
 * (`MessageCreateParams`); where the words have been seen stands beside them.
 */
import { signatureOf } from './answer.js';
import { type FakeModel, fakeModel } from './models.js';
import type { FakeBlock, FakeTurn, MessagesCall } from './plan.js';

const MEMBERS: ReadonlySet<string> = new Set(
  `cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier speed
   stop_sequences stream system temperature thinking tool_choice tools top_k top_p`.split(/\s+/),
);

/** Members that only a beta feature has; which, the types of the official client tell (`BetaMessageCreateParams`). */
const BETA_MEMBERS: Readonly<Record<string, string>> = {
  context_management: 'context-management-2025-06-27',
  mcp_servers: 'mcp-client-2025-11-20',
};

const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** The first violation of a body; undefined for a valid one. */
export function violationOf(body: MessagesCall, version: string, betas = ''): string | undefined {
  const model = fakeModel(body.model);
  return first(
    ...Object.keys(body).map((name) =>
      (MEMBERS.has(name) || betas.includes(BETA_MEMBERS[name] ?? 'no beta')) &&
      !(version > '2023-06-01' && SAMPLING.includes(name))
        ? undefined
        : `${name}: Extra inputs are not permitted`,
    ),
    typeof body.model === 'string' ? undefined : 'model: Field required',
    Number.isInteger(body.max_tokens) && body.max_tokens >= 1 ? undefined : 'max_tokens: Field required',
    ...blocksViolations('system', body.system),
    ...conversationViolations(body.messages),
    ...toolViolations(body),
    ...thinkingViolations(body, model),
    editViolation(body),
    ...samplingViolations(body, model),
    ...outputViolations(body, model),
    ...(body.stop_sequences ?? []).map((sequence) =>
      sequence.trim() === '' ? 'stop_sequences: each stop sequence must contain non-whitespace' : undefined,
    ),
  );
}

type Violations = readonly (string | undefined)[];

function first(...violations: Violations): string | undefined {
  return violations.find((violation) => violation !== undefined);
}

function conversationViolations(messages: readonly FakeTurn[] | undefined): Violations {
  if (!Array.isArray(messages)) return ['messages: Field required'];
  if (messages.length === 0) return ['messages: at least one message is required'];
  const turns: readonly FakeTurn[] = messages;
  return [
    turns[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role',
    ...turns.flatMap(({ role, content }, index) => [
      role === 'user' || role === 'assistant'
        ? undefined
        : `messages.${index}: role '${role}' is not supported on this model`,
      content.length === 0 ? `messages.${index}: all messages must have non-empty content` : undefined,
      ...blocksViolations(`messages.${index}.content`, content),
      ...pairViolations(turns, index),
    ]),
    lastViolation(turns),
  ];
}

/**
 * Calls are answered in the next turn (https://github.com/anthropics/claude-code/issues/8210,
 * https://github.com/anthropics/claude-code/issues/18947), at its beginning
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
 */
function pairViolations(turns: readonly FakeTurn[], index: number): Violations {
  const blocks = blocksIn(turns[index]);
  const next = blocksIn(turns[index + 1]);
  const before = new Set(blocksIn(turns[index - 1]).map(({ id }) => id));
  const results = blocks.findLastIndex(({ type }) => type === 'tool_result') + 1;
  return [
    ...blocks.map(({ type, id }) => {
      const isOpen = type === 'tool_use' && turns.length > index + 1;
      const isAnswered = next.some(({ tool_use_id }) => tool_use_id === id);
      return isOpen && !isAnswered ? `tool_use ids were found without tool_result blocks: ${id}` : undefined;
    }),
    ...blocks.map(({ type, tool_use_id }) =>
      type === 'tool_result' && !before.has(tool_use_id)
        ? `unexpected tool_use_id found in tool_result blocks: ${tool_use_id}`
        : undefined,
    ),
    blocks.slice(0, results).some(({ type }) => type !== 'tool_result')
      ? 'tool_result blocks must come first'
      : undefined,
  ];
}

function blocksIn(turn: FakeTurn | undefined): readonly FakeBlock[] {
  return typeof turn?.content === 'object' ? turn.content : [];
}

function lastViolation(turns: readonly FakeTurn[]): string | undefined {
  const last = turns.at(-1);
  const text = blocksIn(last).at(-1)?.text;
  return last?.role === 'assistant' && typeof text === 'string' && /\s$/.test(text)
    ? 'messages: final assistant content cannot end with trailing whitespace'
    : undefined;
}

const IMAGES: ReadonlySet<unknown> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function blocksViolations(at: string, content: unknown): Violations {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: FakeBlock, index) => blockViolations(`${at}.${index}`, block));
}

/**
 * Blank texts: https://github.com/anthropics/claude-code/issues/23369; signatures:
 * https://github.com/anthropics/claude-code/issues/10627.
 */
function blockViolations(at: string, block: FakeBlock): Violations {
  const { type, text, thinking, signature, id, tool_use_id, source, content, input } = block;
  switch (type) {
    case 'text':
      return [
        String(text).trim() === ''
          ? `${at}: text content blocks must contain non-whitespace text`
          : undefined,
      ];
    case 'image':
    case 'document':
      return [sourceViolation(at, type, source)];
    case 'thinking':
      return [
        signature === signatureOf(String(thinking))
          ? undefined
          : `${at}: Invalid \`signature\` in \`thinking\` block`,
      ];
    case 'redacted_thinking':
      return [
        /^[A-Za-z0-9+/]+=*$/.test(String(block.data))
          ? undefined
          : `${at}: Invalid \`data\` in \`redacted_thinking\` block`,
      ];
    // Blocks of tools that Anthropic runs: `ContentBlockParam` of the official client.
    case 'server_tool_use':
    case 'web_search_tool_result':
      return [];
    case 'tool_use':
      return [
        idViolation(at, id),
        typeof input === 'object' && !Array.isArray(input)
          ? undefined
          : `${at}.input: Input should be a valid dictionary`,
      ];
    case 'tool_result':
      return [idViolation(at, tool_use_id), ...blocksViolations(`${at}.content`, content)];
    default:
      return [`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`];
  }
}

function idViolation(at: string, id: unknown): string | undefined {
  return /^[a-zA-Z0-9_-]+$/.test(String(id)) ? undefined : `${at}.id: String should match pattern`;
}

function sourceViolation(at: string, type: string, source: unknown): string | undefined {
  const { type: kind, media_type, url, data } = Object(source);
  if (kind === 'url')
    return /^https?:/.test(url) ? undefined : `${at}.source.url: Only HTTPS URLs are supported`;
  if (type === 'document' && kind === 'text') {
    return media_type === 'text/plain' ? undefined : `${at}.source.media_type: Input should be 'text/plain'`;
  }
  const isKnown = type === 'image' ? IMAGES.has(media_type) : media_type === 'application/pdf';
  const isBase64 = /^[A-Za-z0-9+/]+=*$/.test(data);
  return kind === 'base64' && isKnown && isBase64 ? undefined : `${at}.source: Could not process ${type}`;
}

/** Tools that Anthropic runs have a dated type and no schema: `ToolUnion` of the official client. */
const SERVER_TOOL = /^[a-z_]+_20\d{6}$/;

function toolViolations({ tools, tool_choice, messages }: MessagesCall): Violations {
  const isUsed = (messages ?? []).flatMap(blocksIn).some(({ type }) => type === 'tool_use');
  return [
    tool_choice !== undefined && tools === undefined
      ? 'tool_choice: tool_choice may only be specified while providing tools'
      : undefined,
    isUsed && tools === undefined ? 'Requests which include `tool_use` blocks must define tools' : undefined,
    ...(tools ?? []).map(({ type, name, input_schema }, index) =>
      typeof name === 'string' && (SERVER_TOOL.test(type ?? '') || Object(input_schema).type === 'object')
        ? undefined
        : `tools.${index}.custom.input_schema.type: Field required`,
    ),
    tool_choice?.type === 'tool' && !tools?.some(({ name }) => name === tool_choice.name)
      ? `tool_choice.tool.name: Tool '${tool_choice.name}' not found in provided tools`
      : undefined,
  ];
}

/**
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking; a forced tool in the words of
 * https://github.com/mastra-ai/mastra/issues/7507, a turn without its thoughts in those of
 * https://github.com/RooCodeInc/Roo-Code/pull/10351.
 */
function thinkingViolations(
  { thinking, max_tokens, tool_choice, messages }: MessagesCall,
  model: FakeModel,
): Violations {
  const { type, budget_tokens } = thinking ?? {};
  if (type === undefined) return [];
  const isOn = type !== 'disabled';
  const isForced = tool_choice?.type === 'any' || tool_choice?.type === 'tool';
  return [
    model.thinking.some((form) => form === type)
      ? undefined
      : `"thinking.type.${type}" is not supported for this model`,
    type === 'enabled' && !(Number(budget_tokens) >= 1024)
      ? 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
      : undefined,
    type === 'enabled' && !(Number(budget_tokens) < max_tokens)
      ? '`max_tokens` must be greater than `thinking.budget_tokens`'
      : undefined,
    isOn && isForced ? 'Thinking may not be enabled when tool_choice forces tool use.' : undefined,
    type === 'enabled' && isBegunWithoutThoughts(messages)
      ? 'Expected `thinking` or `redacted_thinking`, but found `tool_use`.'
      : undefined,
  ];
}

/** In its own words: https://github.com/anthropics/claude-code/issues/11971. */
function editViolation({ thinking, context_management }: MessagesCall): string | undefined {
  const edits: readonly FakeBlock[] = Object(context_management).edits ?? [];
  const isOn = thinking !== undefined && thinking.type !== 'disabled';
  return !isOn && edits.some(({ type }) => type === 'clear_thinking_20251015')
    ? '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive'
    : undefined;
}

/** Everything after the user's last message, tool calls and results included, is one turn of the assistant. */
function isBegunWithoutThoughts(messages: readonly FakeTurn[]): boolean {
  const isResults = (turn: FakeTurn) => blocksIn(turn).some(({ type }) => type === 'tool_result');
  const lastUserTurn = messages.findLastIndex((turn) => turn.role === 'user' && !isResults(turn));
  const begun = messages.slice(lastUserTurn + 1).find(({ role }) => role === 'assistant');
  return begun !== undefined && !/thinking$/.test(String(blocksIn(begun)[0]?.type));
}

/**
 * With thoughts: https://github.com/MartialBE/one-hub/issues/529; both at once:
 * https://github.com/BerriAI/litellm/issues/15097; none at all: https://github.com/The-PR-Agent/pr-agent/issues/2456.
 */
function samplingViolations(body: MessagesCall, model: FakeModel): Violations {
  const { temperature, top_p, top_k, thinking } = body;
  const isThinking = thinking === undefined ? model.thinksUnasked === true : thinking.type !== 'disabled';
  return [
    ...SAMPLING.map((name) =>
      body[name] === undefined || model.takesSampling === true
        ? undefined
        : `\`${name}\` is deprecated for this model.`,
    ),
    temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1)
      ? undefined
      : 'temperature: Input should be less than or equal to 1',
    temperature !== undefined && top_p !== undefined && model.takesBothSamplings !== true
      ? '`temperature` and `top_p` cannot both be specified for this model.'
      : undefined,
    isThinking && temperature !== undefined && temperature !== 1
      ? '`temperature` may only be set to 1 when thinking is enabled.'
      : undefined,
    isThinking && top_k !== undefined ? '`top_k` must be unset when thinking is enabled.' : undefined,
    isThinking && Number(top_p) < 0.95 ? '`top_p` must be greater than or equal to 0.95' : undefined,
  ];
}

function outputViolations({ output_config }: MessagesCall, model: FakeModel): Violations {
  const { effort, format } = output_config ?? {};
  return [
    effort !== undefined && !model.efforts?.includes(effort)
      ? `This model does not support effort level '${effort}'.`
      : undefined,
    format !== undefined && model.takesSchemas !== true
      ? 'output_config.format: structured outputs are not supported on this model'
      : undefined,
    format === undefined ? undefined : schemaViolation(format.schema),
  ];
}

/**
 * Objects are closed, and numbers and lengths have no bounds:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs, https://github.com/BerriAI/litellm/pull/21045.
 */
function schemaViolation(schema: object): string | undefined {
  const text = JSON.stringify(schema, (name, value) => (name === 'description' ? undefined : value));
  const keyword = /"(minimum|maximum|minLength|maxLength|pattern|maxItems|oneOf)":/.exec(text)?.[1];
  if (keyword !== undefined) return `output_config.format.schema: property '${keyword}' is not supported`;
  const objects = text.match(/"type":"object"/g)?.length ?? 0;
  const closed = text.match(/"additionalProperties":false/g)?.length ?? 0;
  return objects > closed ? "output_config.format.schema: 'additionalProperties' must be false" : undefined;
}
