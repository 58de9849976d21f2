/**
 * The form of a Converse request that the service and Anthropic's models require: members of
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html; where the words have been seen stands
 * beside them.
 */
import { signatureOf } from '../fake-anthropic/answer.js';
import type { ConverseCall } from './plan.js';

const MEMBERS: ReadonlySet<string> = new Set(
  `messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables
   additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig`.split(/\s+/),
);

type Block = Readonly<Record<string, unknown>>;

/** The body's first violation, in the service's words; undefined for a valid one. */
export function bodyViolation(body: ConverseCall): string | undefined {
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) return `Unknown member ${unknown}`;
  const messages = body.messages ?? [];
  if (messages[0]?.role !== 'user') {
    return 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
  }
  if (messages.some(({ role }, index) => role === messages[index - 1]?.role)) {
    return 'A conversation must alternate between user and assistant roles.';
  }
  const blocks = messages.flatMap(({ content }) => content);
  return (
    blocks.map(blockViolation).find((violation) => violation !== undefined) ??
    documentViolation(body) ??
    toolViolation(body, blocks) ??
    thinkingViolation(body)
  );
}

/** A blank text of a message, but not of a result: https://github.com/NousResearch/hermes-agent/issues/55092. */
function blockViolation({ text, image, reasoningContent }: Block): string | undefined {
  const { reasoningText: thought } = (reasoningContent ?? {}) as {
    reasoningText?: { text: string; signature?: string };
  };
  if (thought !== undefined && thought.signature !== signatureOf(thought.text)) {
    return 'Invalid `signature` in `thinking` block';
  }
  if (text !== undefined && String(text).trim() === '')
    return 'The text field in the ContentBlock object is blank.';
  const { source } = (image ?? {}) as { source?: { bytes?: string } };
  const isBase64 = /^[A-Za-z0-9+/]*=*$/.test(source?.bytes ?? '');
  return image !== undefined && (source?.bytes === undefined || !isBase64)
    ? 'Could not process image'
    : undefined;
}

/**
 * Names: https://github.com/simonw/llm-bedrock/issues/8; the text beside a document:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html.
 */
function documentViolation({ messages = [] }: ConverseCall): string | undefined {
  const names = messages.flatMap(({ content }) =>
    content.flatMap(({ document }) => (document ? [String((document as { name: unknown }).name)] : [])),
  );
  if (names.some((name) => !/^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/.test(name))) {
    return 'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.';
  }
  if (new Set(names).size < names.length) return 'messages contain duplicate document file names';
  const isWordless = messages.some(
    ({ content }) => content.some(({ document }) => document) && !content.some(({ text }) => text),
  );
  return isWordless ? 'A text block must accompany a document.' : undefined;
}

/** https://github.com/langgenius/dify/issues/17545 */
function toolViolation(
  { messages = [], toolConfig }: ConverseCall,
  blocks: readonly Block[],
): string | undefined {
  const isUsed = blocks.some(({ toolUse, toolResult }) => toolUse || toolResult);
  if (isUsed && toolConfig === undefined) {
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  }
  const isUnanswered = messages.some(({ content }, index) => {
    const ids = content.flatMap(({ toolUse }) => idsOf(toolUse));
    const answered = (messages[index + 1]?.content ?? []).flatMap(({ toolResult }) => idsOf(toolResult));
    return messages[index + 1] !== undefined && ids.some((id) => !answered.includes(id));
  });
  return isUnanswered ? 'Expected toolResult blocks for the toolUse blocks of the previous turn.' : undefined;
}

function idsOf(block: unknown): string[] {
  return block ? [(block as { toolUseId: string }).toolUseId] : [];
}

function thinkingViolation({
  additionalModelRequestFields,
  inferenceConfig,
}: ConverseCall): string | undefined {
  const { type, budget_tokens = 0 } = additionalModelRequestFields?.thinking ?? {};
  if (type !== 'enabled') return undefined;
  if (budget_tokens < 1024)
    return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  const isWithin = budget_tokens < (inferenceConfig?.maxTokens ?? Infinity);
  return isWithin ? undefined : '`max_tokens` must be greater than `thinking.budget_tokens`.';
}
