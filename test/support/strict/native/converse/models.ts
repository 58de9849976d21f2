/** Rules of single families of models over Converse. */
import { signatureOf } from '../../../fakes/fake-anthropic/answer.js';
import { draftViolation, propertyName, rootUnion } from '../messages/tools.js';
import type { Rule } from '../rule.js';
import { type JsonRecord, record, records, repeated, unknownIn, words } from '../values.js';
import { type ConverseBody, cachePoints, eachBlock, schemaOf, toolSpecs, turnsOf } from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference';
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

export const NO_CACHE_RULE: Rule = {
  refuses: 'cache points',
  source: 'https://github.com/strands-agents/harness-sdk/pull/1807',
  seen: SEEN,
  sure: 'reported',
  violation: (body: ConverseBody) =>
    cachePoints(body).length > 0
      ? 'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.'
      : undefined,
};

/** `sources` are where it was seen for the models that the rule is for. */
export function noStreamedToolsRule(source: string): Rule {
  return {
    refuses: 'tools in a stream',
    source,
    seen: SEEN,
    sure: 'reported',
    violation: ({ toolConfig }: ConverseBody, { isStreamed }) =>
      isStreamed && toolConfig !== undefined
        ? "This model doesn't support tool use in streaming mode."
        : undefined,
  };
}

export function noResultImagesRule(sure: Rule['sure']): Rule {
  return {
    refuses: 'images and documents in results',
    // Measured for single models: https://github.com/anomalyco/opencode/issues/49443.
    source: `${REFERENCE}/API_runtime_ToolResultContentBlock.html`,
    seen: SEEN,
    sure,
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ block: { image, document }, role }) =>
        role === 'result' && (image ?? document) !== undefined
          ? "This model doesn't support the image field for user messages. Remove image and try again."
          : undefined,
      ),
  };
}

export function noForcedToolRule(source: string): Rule {
  return {
    refuses: 'a forced tool',
    source,
    seen: SEEN,
    sure: 'reported',
    violation({ toolConfig }: ConverseBody) {
      const kind = ['any', 'tool'].find((name) => name in record(toolConfig?.toolChoice));
      return (
        kind &&
        `This model doesn't support the toolConfig.toolChoice.${kind} field. Remove toolConfig.toolChoice.${kind} and try again.`
      );
    },
  };
}

/** Fields of the model's own that it does not have. */
export function fieldRule(known: string, source: string, sure: Rule['sure']): Rule {
  return {
    refuses: "fields of the model's own other than those it has",
    source,
    seen: SEEN,
    sure,
    violation({ additionalModelRequestFields }: ConverseBody) {
      const unknown = unknownIn(record(additionalModelRequestFields), words(known));
      return (
        unknown &&
        `The model returned the following errors: Malformed input request: #: extraneous key [${unknown}] is not permitted, please reformat your input and try again.`
      );
    },
  };
}

/** Members at the root of a schema that Nova has. */
const NOVA_SCHEMA = words('type properties required description');

export function novaSchema({ spec }: { readonly spec: JsonRecord }, index: number): string | undefined {
  const unknown = unknownIn(record(schemaOf(spec)), NOVA_SCHEMA);
  return (
    unknown &&
    `The model returned the following errors: Malformed input request: #/toolConfig/tools/${index}/toolSpec/inputSchema/json: extraneous key [${unknown}] is not permitted, please reformat your input and try again.`
  );
}
