/** Rules of Anthropic's Messages about tools. */
import { schemaViolation } from '../json-schema-form.js';
import type { Rule } from '../rule.js';
import { isRecord, record, records, repeated, unknownIn, words } from '../values.js';
import { eachTool, type MessagesCall, placedBlocks } from './body.js';

const SEEN = '2026-11-26';

/** `Tool` of the official client. */
const MEMBERS =
  words(`allowed_callers cache_control defer_loading description eager_input_streaming input_examples
  input_schema name strict type`);

export const TOOL_RULES: readonly Rule[] = [
  {
    refuses: 'a choice of tools without tools',
    source: '@anthropic-ai/sdk ToolChoice: "How the model should use the provided tools"',
    seen: SEEN,
    sure: 'assumed',
    violation: ({ tools, tool_choice }: MessagesCall) =>
      tool_choice !== undefined && (tools ?? []).length === 0
        ? 'tool_choice: tool_choice may only be specified while providing tools'
        : undefined,
  },
  {
    refuses: 'calls in a conversation without tools',
    source: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/176',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: MessagesCall) =>
      body.tools === undefined && placedBlocks(body).some(({ block: { type } }) => type === 'tool_use')
        ? 'Requests which include `tool_use` blocks must define tools'
        : undefined,
  },
  {
    refuses: 'a choice of a tool that is not among the tools',
    source: '@anthropic-ai/sdk ToolChoiceTool',
    seen: SEEN,
    sure: 'assumed',
    violation: ({ tools, tool_choice }: MessagesCall) =>
      tool_choice?.type === 'tool' && !tools?.some(({ name }) => name === tool_choice.name)
        ? `tool_choice.tool.name: Tool '${tool_choice.name}' not found in provided tools`
        : undefined,
  },
  {
    refuses: 'choices other than auto, any, none and tool',
    source: '@anthropic-ai/sdk ToolChoice',
    seen: SEEN,
    sure: 'typed',
    violation: ({ tool_choice }: MessagesCall) =>
      tool_choice === undefined || words('auto any none tool').has(tool_choice.type)
        ? undefined
        : "tool_choice: Input tag found using 'type' does not match any of the expected tags",
  },
  {
    refuses: 'names with other characters than letters, digits, _ and -, or more than 128 of them',
    source: 'https://github.com/anthropics/claude-code/issues/96152',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachTool(body, ({ name }) =>
        /^[a-zA-Z0-9_-]{1,128}$/.test(String(name ?? ''))
          ? undefined
          : "name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      ),
  },
  {
    refuses: 'two tools with one name',
    source: 'https://github.com/microsoft/vscode/issues/278073',
    seen: SEEN,
    sure: 'reported',
    violation: ({ tools }: MessagesCall) =>
      repeated(records(tools).map(({ name }) => String(name))) === undefined
        ? undefined
        : 'tools: Tool names must be unique.',
  },
  {
    refuses: 'a schema whose root is no object',
    source: '@anthropic-ai/sdk Tool.InputSchema',
    seen: SEEN,
    sure: 'typed',
    violation: (body: MessagesCall) =>
      eachTool(body, ({ input_schema }) =>
        record(input_schema).type === 'object' ? undefined : 'input_schema.type: Field required',
      ),
  },
  {
    refuses: 'unions at the root of a schema',
    source: 'https://github.com/anthropics/claude-code/issues/40075',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) => eachTool(body, ({ input_schema }) => rootUnion(input_schema)),
  },
  {
    refuses:
      'names of properties at the root with other characters than letters, digits, _, . and -, or more than 64',
    source:
      'https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) => eachTool(body, ({ input_schema }) => propertyName(input_schema)),
  },
  {
    refuses: 'schemas that draft 2020-12 does not know',
    source: 'https://github.com/kintone/mcp-server/issues/553',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) => eachTool(body, ({ input_schema }) => draftViolation(input_schema)),
  },
  {
    refuses: 'members of a tool that there are not',
    source: '@anthropic-ai/sdk Tool',
    seen: SEEN,
    sure: 'typed',
    violation: (body: MessagesCall) =>
      eachTool(body, (tool) => {
        const unknown = unknownIn(tool, MEMBERS);
        return unknown && `${unknown}: Extra inputs are not permitted`;
      }),
  },
  {
    refuses: 'a mark of the cache on a tool that is loaded later',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/4561',
    seen: SEEN,
    sure: 'reported',
    violation: ({ tools }: MessagesCall) => {
      const both = records(tools).find(
        ({ defer_loading, cache_control }) => defer_loading === true && cache_control,
      );
      return (
        both &&
        `Tool '${both.name}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`
      );
    },
  },
  {
    refuses: 'tools of which all are loaded later',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool',
    seen: SEEN,
    sure: 'documented',
    violation: ({ tools }: MessagesCall) =>
      records(tools).length > 0 && records(tools).every(({ defer_loading }) => defer_loading === true)
        ? 'All tools have defer_loading set. At least one tool must be non-deferred.'
        : undefined,
  },
];

/** What the host says of a schema with a union at its root. */
export function rootUnion(schema: unknown): string | undefined {
  const root = record(schema);
  return ['oneOf', 'allOf', 'anyOf'].some((name) => name in root)
    ? 'input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level'
    : undefined;
}

/** What the host says of the names of a schema's properties; of those at the root alone. */
export function propertyName(schema: unknown): string | undefined {
  const names = Object.keys(record(record(schema).properties));
  return names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    ? undefined
    : "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
}

export function draftViolation(schema: unknown): string | undefined {
  if (!isRecord(schema) || schemaViolation(schema) === undefined) return undefined;
  return 'input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.';
}
