/** Rules of Anthropic's Messages about thinking, sampling and the form of the answer; which differ by model. */
import { type FakeModel, fakeModel } from '../../../fakes/fake-anthropic/models.js';
import type { Rule } from '../rule.js';
import { records } from '../values.js';
import { blocksIn, type FakeTurn, type MessagesCall, ownTools, turnsOf } from './body.js';

const SEEN = '2026-11-26';
const THINKING = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking';
const OUTPUT = 'https://platform.claude.com/docs/en/build-with-claude/structured-outputs';

const SAMPLING: readonly string[] = ['temperature', 'top_p', 'top_k'];

export const THINKING_RULES: readonly Rule[] = [
  {
    refuses: 'forms of thinking that the model does not have',
    source: 'https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking',
    seen: SEEN,
    sure: 'documented',
    violation: ({ thinking }: MessagesCall, { model }) =>
      thinking === undefined || fakeModel(model).thinking.some((form) => form === thinking.type)
        ? undefined
        : `"thinking.type.${thinking.type}" is not supported for this model`,
  },
  {
    refuses: 'budgets below 1,024 tokens',
    source: THINKING,
    seen: SEEN,
    sure: 'documented',
    violation: ({ thinking }: MessagesCall) =>
      thinking?.type === 'enabled' && !(Number(thinking.budget_tokens) >= 1024)
        ? 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
        : undefined,
  },
  {
    refuses: 'budgets that the answer has no room for',
    source: THINKING,
    seen: SEEN,
    sure: 'documented',
    violation: ({ thinking, max_tokens }: MessagesCall) =>
      thinking?.type === 'enabled' && !(Number(thinking.budget_tokens) < max_tokens)
        ? '`max_tokens` must be greater than `thinking.budget_tokens`'
        : undefined,
  },
  {
    refuses: 'thinking beside a forced tool',
    source: 'https://github.com/mastra-ai/mastra/issues/7507',
    seen: SEEN,
    sure: 'reported',
    violation: ({ thinking, tool_choice }: MessagesCall) =>
      isAsked(thinking) && (tool_choice?.type === 'any' || tool_choice?.type === 'tool')
        ? 'Thinking may not be enabled when tool_choice forces tool use.'
        : undefined,
  },
  {
    refuses: 'thinking with a budget in a turn that began without a thought',
    source: 'https://github.com/RooCodeInc/Roo-Code/pull/10351',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      body.thinking?.type === 'enabled' && isBegunWithoutThoughts(turnsOf(body))
        ? 'Expected `thinking` or `redacted_thinking`, but found `tool_use`.'
        : undefined,
  },
  {
    refuses: 'clearing of thoughts without thinking',
    source: 'https://github.com/anthropics/claude-code/issues/11971',
    seen: SEEN,
    sure: 'reported',
    violation: ({ thinking, context_management }: MessagesCall) =>
      !isAsked(thinking) &&
      records(Object(context_management).edits).some(({ type }) => type === 'clear_thinking_20251015')
        ? '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive'
        : undefined,
  },
  {
    refuses: 'sampling at models that take none',
    source: 'https://github.com/The-PR-Agent/pr-agent/issues/2456',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall, { model }) {
      const name = SAMPLING.find((member) => body[member] !== undefined);
      return name === undefined || fakeModel(model).takesSampling === true
        ? undefined
        : `\`${name}\` is deprecated for this model.`;
    },
  },
  {
    refuses: 'temperatures outside of 0 to 1',
    source: 'https://platform.claude.com/docs/en/api/messages',
    seen: SEEN,
    sure: 'documented',
    violation: ({ temperature }: MessagesCall) =>
      temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1)
        ? undefined
        : 'temperature: Input should be less than or equal to 1',
  },
  {
    refuses: 'temperature and top_p together, at models since Opus 4.1',
    source: 'https://github.com/BerriAI/litellm/issues/15097',
    seen: SEEN,
    sure: 'reported',
    violation: ({ temperature, top_p }: MessagesCall, { model }) =>
      temperature !== undefined && top_p !== undefined && fakeModel(model).takesBothSamplings !== true
        ? '`temperature` and `top_p` cannot both be specified for this model.'
        : undefined,
  },
  {
    refuses: 'sampling beside thinking, but for a temperature of 1 and top_p since 0.95',
    source: 'https://github.com/MartialBE/one-hub/issues/529',
    seen: SEEN,
    sure: 'reported',
    violation({ temperature, top_p, top_k, thinking }: MessagesCall, { model }) {
      if (!isThinking(thinking, fakeModel(model))) return undefined;
      if (temperature !== undefined && temperature !== 1) {
        return '`temperature` may only be set to 1 when thinking is enabled.';
      }
      if (top_k !== undefined) return '`top_k` must be unset when thinking is enabled.';
      return Number(top_p) < 0.95 ? '`top_p` must be greater than or equal to 0.95' : undefined;
    },
  },
  {
    refuses: 'efforts that the model does not have',
    source: 'https://platform.claude.com/docs/en/build-with-claude/effort',
    seen: SEEN,
    sure: 'documented',
    violation({ output_config }: MessagesCall, { model }) {
      const effort = output_config?.effort;
      return effort === undefined || fakeModel(model).efforts?.includes(effort) === true
        ? undefined
        : `This model does not support effort level '${effort}'.`;
    },
  },
  {
    refuses: 'schemas of answers at models that take none',
    source: OUTPUT,
    seen: SEEN,
    sure: 'documented',
    violation: ({ output_config }: MessagesCall, { model }) =>
      output_config?.format === undefined || fakeModel(model).takesSchemas === true
        ? undefined
        : 'output_config.format: structured outputs are not supported on this model',
  },
  {
    refuses: 'bounds and open objects in schemas of answers',
    source: OUTPUT,
    seen: SEEN,
    sure: 'documented',
    violation: ({ output_config }: MessagesCall) =>
      output_config?.format === undefined
        ? undefined
        : strictViolation(output_config.format.schema, 'output_config.format.schema'),
  },
  {
    refuses: 'bounds and open objects in schemas of strict tools',
    source: 'https://github.com/vercel/ai/issues/13167',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      ownTools(body)
        .map(({ strict, input_schema }, index) =>
          strict === true ? strictViolation(input_schema, `tools.${index}.custom`) : undefined,
        )
        .find((found) => found !== undefined),
  },
  {
    refuses: 'blank stop sequences',
    source: 'https://platform.claude.com/docs/en/api/messages',
    seen: SEEN,
    sure: 'assumed',
    violation: ({ stop_sequences }: MessagesCall) =>
      (stop_sequences ?? []).some((sequence) => sequence.trim() === '')
        ? 'stop_sequences: each stop sequence must contain non-whitespace'
        : undefined,
  },
];

function isAsked(thinking: MessagesCall['thinking']): boolean {
  return thinking !== undefined && thinking.type !== 'disabled';
}

function isThinking(thinking: MessagesCall['thinking'], { thinksUnasked }: FakeModel): boolean {
  return thinking === undefined ? thinksUnasked === true : thinking.type !== 'disabled';
}

/** Everything after the user's last message, tool calls and results included, is one turn of the assistant. */
function isBegunWithoutThoughts(turns: readonly FakeTurn[]): boolean {
  const isResults = (turn: FakeTurn) => blocksIn(turn).some(({ type }) => type === 'tool_result');
  const lastUserTurn = turns.findLastIndex((turn) => turn.role === 'user' && !isResults(turn));
  const begun = turns.slice(lastUserTurn + 1).find(({ role }) => role === 'assistant');
  return begun !== undefined && !/thinking$/.test(String(blocksIn(begun)[0]?.type));
}

/** Also https://github.com/BerriAI/litellm/pull/21045. */
function strictViolation(schema: unknown, at: string): string | undefined {
  const text = JSON.stringify(schema, (name, value) => (name === 'description' ? undefined : value)) ?? '';
  const keyword = /"(minimum|maximum|minLength|maxLength|pattern|maxItems|oneOf)":/.exec(text)?.[1];
  if (keyword !== undefined) return `${at}: property '${keyword}' is not supported`;
  const objects = text.match(/"type":"object"/g)?.length ?? 0;
  const closed = text.match(/"additionalProperties":false/g)?.length ?? 0;
  return objects > closed ? `${at}: 'additionalProperties' must be false` : undefined;
}
