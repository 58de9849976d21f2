/** Rules of Claude over Converse. */
import { signatureOf } from '../../../fakes/fake-anthropic/answer.js';
import { draftViolation, propertyName, rootUnion } from '../messages/tools.js';
import type { Rule } from '../rule.js';
import { record, records, repeated } from '../values.js';
import {
  type ConverseBody,
  cachePoints,
  contentOf,
  eachBlock,
  schemaOf,
  toolSpecs,
  turnsOf,
} from './body.js';

const SEEN = '2026-11-26';
const PREFILL = 'https://github.com/ericc-ch/copilot-api/pull/261';

/** A rule about schemas of tools, in the words of Claude, which Bedrock passes on. */
function schemaRule(refuses: string, source: string, check: (schema: unknown) => string | undefined): Rule {
  return {
    refuses,
    source,
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      toolSpecs(body)
        .map(({ spec }, index) => {
          const found = check(schemaOf(spec));
          return found && `The model returned the following errors: tools.${index}.custom.${found}`;
        })
        .find((found) => found !== undefined),
  };
}

export const CLAUDE_RULES: readonly Rule[] = [
  schemaRule(
    'unions at the root of a schema',
    'https://github.com/anthropics/claude-code/issues/40075',
    rootUnion,
  ),
  schemaRule(
    'names of properties with other characters than letters, digits, _, . and -',
    'https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709',
    propertyName,
  ),
  schemaRule(
    'schemas that draft 2020-12 does not know',
    'https://github.com/acomagu/vscode-as-mcp-server/issues/6',
    draftViolation,
  ),
  {
    refuses: 'two tools with one name',
    source: 'https://github.com/microsoft/vscode/issues/278073',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: ConverseBody) =>
      repeated(toolSpecs(body).map(({ spec }) => String(spec.name))) === undefined
        ? undefined
        : 'The model returned the following errors: tools: Tool names must be unique.',
  },
  {
    refuses: 'two calls with one id, anywhere in the conversation',
    source: 'https://github.com/anthropics/claude-code/issues/28515',
    seen: SEEN,
    sure: 'assumed',
    violation(body: ConverseBody) {
      const ids = turnsOf(body).flatMap((turn) =>
        records(turn.content).flatMap(({ toolUse }) => (toolUse ? [String(record(toolUse).toolUseId)] : [])),
      );
      return (
        repeated(ids) && 'The model returned the following errors: messages: `tool_use` ids must be unique'
      );
    },
  },
  {
    refuses: 'thoughts that it did not sign',
    source: 'https://github.com/anthropics/claude-code/issues/10627',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ block: { reasoningContent } }) => {
        const { reasoningText } = record(reasoningContent);
        const { text, signature } = record(reasoningText);
        return reasoningText === undefined || signature === signatureOf(String(text))
          ? undefined
          : 'Invalid `signature` in `thinking` block';
      }),
  },
  {
    refuses: 'budgets of thinking below 1,024 tokens or beyond the answer',
    source: 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
    seen: SEEN,
    sure: 'documented',
    violation({ additionalModelRequestFields, inferenceConfig }: ConverseBody) {
      const { type, budget_tokens } = record(record(additionalModelRequestFields).thinking);
      if (type !== 'enabled') return undefined;
      if (!(Number(budget_tokens) >= 1024)) {
        return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
      }
      const limit = record(inferenceConfig).maxTokens ?? Infinity;
      return Number(budget_tokens) < Number(limit)
        ? undefined
        : '`max_tokens` must be greater than `thinking.budget_tokens`.';
    },
  },
  {
    refuses: 'thinking beside a forced tool',
    source: 'https://github.com/mastra-ai/mastra/issues/7507',
    seen: SEEN,
    sure: 'assumed',
    violation({ additionalModelRequestFields, toolConfig }: ConverseBody) {
      const { type } = record(record(additionalModelRequestFields).thinking);
      const choice = record(toolConfig?.toolChoice);
      const isOn = type !== undefined && type !== 'disabled';
      return isOn && ('any' in choice || 'tool' in choice)
        ? 'Thinking may not be enabled when tool_choice forces tool use.'
        : undefined;
    },
  },
  {
    refuses: 'a last turn of the assistant, at models since 4.6',
    source: PREFILL,
    seen: SEEN,
    sure: 'assumed',
    violation: (body: ConverseBody, { model }) =>
      /claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|fable)/.test(model) &&
      turnsOf(body).at(-1)?.role === 'assistant'
        ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
        : undefined,
  },
  {
    refuses: 'blanks at the end of what the assistant is made to begin with',
    source: 'https://github.com/langchain-ai/langchain-aws/pull/599',
    seen: SEEN,
    sure: 'reported',
    violation(body: ConverseBody) {
      const last = turnsOf(body).at(-1);
      const text = records(last?.content).at(-1)?.text;
      return last?.role === 'assistant' && typeof text === 'string' && /\s$/.test(text)
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
  {
    refuses: 'a last turn of the assistant that ends with a thought',
    // Measured at claude-haiku-4-5; https://github.com/tailcallhq/forgecode/issues/2107.
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/5321',
    seen: SEEN,
    sure: 'assumed',
    violation(body: ConverseBody) {
      const last = turnsOf(body).at(-1);
      return last?.role === 'assistant' && contentOf(last).at(-1)?.reasoningContent !== undefined
        ? 'The model returned the following errors: messages: The final block in an assistant message cannot be `thinking`.'
        : undefined;
    },
  },
  {
    refuses: 'thoughts in a last turn of the assistant while it does not think',
    source: 'https://github.com/tailcallhq/forgecode/issues/1853',
    seen: SEEN,
    sure: 'assumed',
    violation(body: ConverseBody) {
      const last = turnsOf(body).at(-1);
      const { type } = record(record(body.additionalModelRequestFields).thinking);
      const isThinking = type !== undefined && type !== 'disabled';
      return !isThinking && last?.role === 'assistant' && contentOf(last).some((one) => one.reasoningContent)
        ? 'When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.'
        : undefined;
    },
  },
  {
    refuses: 'a cache point right after a thought',
    source: 'https://github.com/anomalyco/opencode/issues/36517',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      turnsOf(body).some((turn) =>
        contentOf(turn).some(
          ({ cachePoint }, index, content) => cachePoint && content[index - 1]?.reasoningContent,
        ),
      )
        ? 'Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again.'
        : undefined,
  },
  {
    refuses: 'more than four cache points',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
    seen: SEEN,
    sure: 'documented',
    violation(body: ConverseBody) {
      const { length } = cachePoints(body);
      return length > 4
        ? `A maximum of 4 blocks with cache_control may be provided. Found ${length}.`
        : undefined;
    },
  },
  {
    refuses: 'a cache point of an hour after one of five minutes',
    source: 'https://github.com/headroomlabs-ai/headroom/issues/2939',
    seen: SEEN,
    sure: 'assumed',
    violation(body: ConverseBody) {
      const points = cachePoints(body);
      const short = points.findIndex(({ point: { ttl } }) => ttl !== '1h');
      const late = points.find(({ point: { ttl } }, index) => ttl === '1h' && short >= 0 && index > short);
      return (
        late &&
        `${late.at}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.`
      );
    },
  },
];
