/**
 * Anthropic's answer, in one piece or in events: the same message. Its members are those of the package
 * `@anthropic-ai/sdk` (`Message`, `RawMessageStreamEvent`), the order of events that of
 * https://platform.claude.com/docs/en/build-with-claude/streaming.
 */
import { createHash } from 'node:crypto';
import { fakeModel } from './models.js';
import type { FakeBlock, FakeEvent, FakePlan, MessagesCall } from './plan.js';

const TOOL_INPUT = { city: 'Zürich' };

/** The message in one piece. */
export function wholeMessage(call: MessagesCall, plan: FakePlan) {
  const content = plan.content ?? contentOf(call, plan);
  return {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: call.model,
    content,
    stop_reason: plan.stopReason ?? stopReasonOf(call, plan, content),
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: { ...usageOf(call, content), ...plan.usage },
    ...plan.message,
  };
}

/** The events of the same message. */
export function* eventsOf(call: MessagesCall, plan: FakePlan): Generator<FakeEvent> {
  const { content, stop_reason, stop_sequence, stop_details, container, usage, ...head } = wholeMessage(
    call,
    plan,
  );
  const { cache_creation, inference_geo, service_tier, speed, ...counts } = usage;
  yield {
    type: 'message_start',
    message: {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: { ...usage, output_tokens: 1, output_tokens_details: null },
    },
  };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    if (index === 0) yield { type: 'ping' };
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details, container },
    usage: counts,
  };
  if (plan.isStopMissing !== true) yield { type: 'message_stop' };
}

/** A signature that only this text has. */
export function signatureOf(thinking: string): string {
  return `Eq${createHash('sha256').update(thinking).digest('base64')}`;
}

/** The block of a signed thought. */
export function thinkingBlock(thinking: string, text = thinking): FakeBlock {
  return { type: 'thinking', thinking: text, signature: signatureOf(text) };
}

function contentOf(call: MessagesCall, plan: FakePlan): FakeBlock[] {
  const thoughts = isThinking(call) ? [thinkingBlock(thoughtsOf(call, plan))] : [];
  const tool = toolOf(call, plan);
  if (tool !== undefined) {
    return [
      ...thoughts,
      {
        type: 'tool_use',
        id: `toolu_fake${callsIn(call) + 1}`,
        name: tool,
        input: plan.tool?.input ?? TOOL_INPUT,
        caller: { type: 'direct' },
      },
    ];
  }
  // Without citations: the parser of the AI SDK's provider takes none, or a list.
  return [...thoughts, { type: 'text', text: wordsOf(call, plan).join('') }];
}

/** How often tools were called before: ids are unique in a conversation. */
function callsIn({ messages }: MessagesCall): number {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.filter(({ type }) => type === 'tool_use').length;
}

function isThinking({ model, thinking }: MessagesCall): boolean {
  if (thinking === undefined) return fakeModel(model).thinksUnasked === true;
  return thinking.type !== 'disabled';
}

function thoughtsOf({ model, thinking }: MessagesCall, { thoughts = ['Hm,', ' well'] }: FakePlan): string {
  const isHidden = fakeModel(model).hidesThoughts === true && thinking?.display !== 'summarized';
  return isHidden ? '' : thoughts.join('');
}

/** The tool to call: none after results, and none for `none`. */
function toolOf({ tools, tool_choice, messages }: MessagesCall, { tool }: FakePlan): string | undefined {
  const last = messages.at(-1)?.content;
  const isAnswered = typeof last === 'object' && last.some(({ type }) => type === 'tool_result');
  if (isAnswered || tool_choice?.type === 'none') return undefined;
  return tool_choice?.name ?? (tools?.find(({ name }) => name === tool?.name) ?? tools?.[0])?.name;
}

function wordsOf({ max_tokens }: MessagesCall, { words = ['Grüezi', ' mitenand', ' 👋🏽', '!'] }: FakePlan) {
  return words.slice(0, max_tokens);
}

function stopReasonOf(call: MessagesCall, plan: FakePlan, content: readonly FakeBlock[]): string {
  if (content.some(({ type }) => type === 'tool_use')) return 'tool_use';
  return (plan.words ?? ['', '', '', '']).length > call.max_tokens ? 'max_tokens' : 'end_turn';
}

function usageOf(call: MessagesCall, content: readonly FakeBlock[]) {
  const thinking_tokens = tokensOf(content.filter(({ type }) => type === 'thinking'));
  return {
    input_tokens: JSON.stringify(call.messages).split(/\s+/).length,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: tokensOf(content),
    output_tokens_details: thinking_tokens > 0 ? { thinking_tokens } : null,
    server_tool_use: null,
    inference_geo: 'global',
    service_tier: 'standard',
    speed: 'standard',
  };
}

function tokensOf(content: readonly FakeBlock[]): number {
  return content.reduce((sum, block) => sum + [...deltasOf(block)].length, 0);
}

function emptied(block: FakeBlock): FakeBlock {
  if (block.type === 'text')
    return { ...block, text: '', ...(Array.isArray(block.citations) && { citations: [] }) };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type.endsWith('tool_use') ? { ...block, input: {} } : block;
}

/** Every word of a text, every fifth character of JSON; the first piece of JSON is empty, as the real one's is. */
function* deltasOf({ type, text, thinking, signature, input, citations }: FakeBlock): Generator<object> {
  if (type === 'text') {
    for (const citation of Array.isArray(citations) ? citations : [])
      yield { type: 'citations_delta', citation };
    for (const piece of wordsIn(text)) yield { type: 'text_delta', text: piece };
  }
  if (type === 'thinking') {
    for (const piece of wordsIn(thinking)) yield { type: 'thinking_delta', thinking: piece };
    yield { type: 'signature_delta', signature };
  }
  if (!type.endsWith('tool_use')) return;
  yield { type: 'input_json_delta', partial_json: '' };
  const json = JSON.stringify(input);
  if (json === '{}') return;
  for (const piece of json.match(/.{1,5}/gsu) ?? []) yield { type: 'input_json_delta', partial_json: piece };
}

function wordsIn(text: unknown): string[] {
  return String(text).match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}
