/** What OpenAI refuses of the items of a conversation. */
import type { Rule } from '../rule.js';
import { list } from '../values.js';
import { eachItem, first, itemsOf, partsOf, rule, tooLong } from './rule.js';

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
};

/** `ResponseInputItem` of the package `openai` 6.49, and what Codex sends. */
const TYPES = new Set(
  `message function_call function_call_output custom_tool_call custom_tool_call_output reasoning web_search_call
  file_search_call computer_call computer_call_output code_interpreter_call image_generation_call local_shell_call
  local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools
  mcp_approval_request mcp_approval_response mcp_call tool_search_call tool_search_output additional_tools compaction
  compaction_trigger item_reference program program_output agent_message`.split(/\s+/),
);

const OUTPUTS: Readonly<Record<string, string>> = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
};

const followsReasoning = (type: unknown, role: unknown): boolean =>
  type === 'message' ? role === 'assistant' : !String(type).endsWith('_output');

const ofRole: Readonly<Record<string, readonly string[]>> = {
  assistant: ['output_text', 'refusal'],
  user: ['input_text', 'input_image', 'input_file', 'input_audio'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  output: ['input_text', 'input_image', 'input_file'],
};

export const ITEM_RULES: readonly Rule[] = [
  eachItem(
    {
      refuses: 'items of a type that it does not have',
      source: 'npm openai 6.49.0 ResponseInputItem',
      sure: 'typed',
    },
    ({ at, type }) =>
      typeof type === 'string' && TYPES.has(type) ? undefined : `Invalid value: '${type}' ('${at}.type').`,
  ),
  eachItem(
    {
      refuses: 'ids that do not begin with the letters of their type',
      source: 'https://github.com/Wei-Shaw/sub2api/issues/3981',
      sure: 'reported',
    },
    ({ at, item, type }) => {
      const prefix = PREFIXES[String(type)];
      if (item.id === undefined || item.id === null || prefix === undefined) return undefined;
      return String(item.id).startsWith(prefix)
        ? undefined
        : `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
    },
  ),
  eachItem(
    {
      refuses: 'ids with other characters',
      source: 'https://github.com/ranxianglei/billion-context/issues/1052',
      sure: 'reported',
    },
    ({ at, item, type }) =>
      PREFIXES[String(type)] === undefined || item.id == null || /^[\w-]*$/.test(String(item.id))
        ? undefined
        : `Invalid '${at}.id': '${item.id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
  ),
  eachItem(
    {
      refuses: 'ids of items of more than 64 characters',
      source: 'https://github.com/can1357/oh-my-pi/issues/284',
      sure: 'reported',
    },
    ({ at, item }) => tooLong(`${at}.id`, 64, item.id),
  ),
  eachItem(
    {
      refuses: 'ids of calls of more than 64 characters',
      source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
      sure: 'reported',
    },
    ({ at, item }) => tooLong(`${at}.call_id`, 64, item.call_id),
  ),
  rule(
    {
      refuses: 'an id twice',
      source: 'https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254',
      sure: 'reported',
    },
    (body) => {
      const ids = itemsOf(body).flatMap(({ item, type }) =>
        typeof item.id === 'string' && type !== 'item_reference' ? [item.id] : [],
      );
      const twice = ids.find((id, index) => ids.indexOf(id) < index);
      return (
        twice &&
        `Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`
      );
    },
  ),
  rule(
    {
      refuses: 'outputs of calls that are not there',
      source: 'https://github.com/continuedev/continue/issues/10092',
      sure: 'reported',
    },
    (body) => {
      const called = new Set<string>();
      return first(
        itemsOf(body).map(({ item, type }) => () => {
          const of = OUTPUTS[String(type)];
          if (of === undefined) return void called.add(`${type} ${item.call_id}`);
          if (called.has(`${of} ${item.call_id}`)) return undefined;
          return `No tool call found for function call output with call_id ${item.call_id}.`;
        }),
      );
    },
  ),
  rule(
    {
      refuses: 'calls without an output',
      source: 'https://github.com/router-for-me/CLIProxyAPI/issues/2368',
      sure: 'reported',
    },
    (body) => {
      const items = itemsOf(body);
      const open = items.find(({ item, type }) => {
        const output = Object.keys(OUTPUTS).find((name) => OUTPUTS[name] === type);
        return (
          output !== undefined &&
          !items.some((other) => other.type === output && other.item.call_id === item.call_id)
        );
      });
      return open && `No tool output found for function call ${open.item.call_id}.`;
    },
  ),
  eachItem(
    {
      refuses: 'calls whose arguments are no text',
      source: 'npm openai 6.49.0 ResponseFunctionToolCall.arguments',
      sure: 'typed',
    },
    ({ at, item, type }) =>
      type === 'function_call' && typeof item.arguments !== 'string'
        ? `Invalid type for '${at}.arguments': expected a string, but got an object instead.`
        : undefined,
  ),
  eachItem(
    {
      refuses: 'outputs that are neither text nor parts',
      source: 'npm openai 6.49.0 ResponseInputItem.FunctionCallOutput.output',
      sure: 'typed',
    },
    ({ at, item, type }) =>
      OUTPUTS[String(type)] === undefined || typeof item.output === 'string' || Array.isArray(item.output)
        ? undefined
        : `Invalid type for '${at}.output'.`,
  ),
  eachItem(
    {
      refuses: 'reasoning that is not encrypted, since nothing is stored',
      source: 'https://github.com/can1357/oh-my-pi/issues/41',
      sure: 'reported',
    },
    ({ item, type }) =>
      type === 'reasoning' && !item.encrypted_content
        ? `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
        : undefined,
  ),
  eachItem(
    {
      refuses: 'reasoning with readable text',
      source: 'https://github.com/musistudio/claude-code-router/issues/1783',
      sure: 'reported',
    },
    ({ at, item, type }) =>
      type === 'reasoning' && list(item.content).length > 0
        ? `Invalid '${at}.content': array too long. Expected an array with maximum length 0, but got an array with length ${list(item.content).length} instead.`
        : undefined,
  ),
  eachItem(
    {
      refuses: 'the status of reasoning',
      source: 'https://github.com/BerriAI/litellm/issues/13420',
      sure: 'reported',
    },
    ({ at, item, type }) =>
      type === 'reasoning' && 'status' in item ? `Unknown parameter: '${at}.status'.` : undefined,
  ),
  eachItem(
    {
      refuses: 'reasoning without a summary',
      source: 'https://github.com/newo-ether/Agora/issues/141',
      sure: 'reported',
    },
    ({ at, item, type }) =>
      type === 'reasoning' && !Array.isArray(item.summary)
        ? `Missing required parameter: '${at}.summary'.`
        : undefined,
  ),
  rule(
    {
      refuses: 'reasoning that led to nothing',
      source: 'https://github.com/continuedev/continue/issues/8933',
      sure: 'reported',
    },
    (body) => {
      const items = itemsOf(body);
      const alone = items.find(({ type }, at) => {
        if (type !== 'reasoning') return false;
        const next = items.slice(at + 1).find((one) => one.type !== 'reasoning');
        return next === undefined || !followsReasoning(next.type, next.item.role);
      });
      return (
        alone &&
        `Item '${alone.item.id}' of type 'reasoning' was provided without its required following item.`
      );
    },
  ),
  rule(
    {
      refuses: 'parts of another role’s types',
      source: 'https://github.com/jeremychone/rust-genai/pull/119',
      sure: 'reported',
    },
    (body) =>
      first(
        partsOf(body).map(({ at, part, role }) => () => {
          const types = ofRole[role] ?? [];
          return types.includes(String(part.type))
            ? undefined
            : `Invalid value: '${part.type}'. Supported values are: ${types.map((one) => `'${one}'`).join(', ')} ('${at}.type').`;
        }),
      ),
  ),
  rule(
    {
      refuses: 'images that are not what they are called, or of other types',
      source: 'https://github.com/marketing-factory/ai-filemetadata/issues/20',
      sure: 'reported',
    },
    (body) =>
      first(
        partsOf(body).map(({ part }) => () => {
          const [, label, data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(String(part.image_url)) ?? [];
          if (part.type !== 'input_image' || label === undefined) return undefined;
          const begins = Buffer.from(data.slice(0, 24), 'base64').toString('hex');
          return IMAGES.some(([type, bytes]) => type === label && begins.startsWith(bytes))
            ? undefined
            : "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
        }),
      ),
  ),
];

const IMAGES = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646'],
] as const;
