/** Hosts of Messages, of Gemini and of Converse. */
import { encodeFrame } from '../../support/fakes/fake-bedrock/frames.js';
import { type Choose, type Meant, pieces } from './meant.js';
import { jsonBy, type Spelled, sseBy } from './spelled.js';

type Json = Record<string, unknown>;

const IDS = ['own', 'none', 'shared'] as const;

function idsBy(meant: Meant, choose: Choose) {
  const ids = IDS[choose(IDS.length)] ?? 'own';
  const own = meant.calls.map((_, n) => `toolu_${choose(1_000_000)}_${n}`);
  const of = (n: number) => (ids === 'none' ? undefined : ids === 'shared' ? 'look:0' : own[n]);
  return { ids, of, told: ids === 'own' ? { ids: own } : {} };
}

const STOPS = { done: 'end_turn', length: 'max_tokens', filtered: 'refusal' } as const;

export function messagesSpelling(meant: Meant, choose: Choose, isStreamed: boolean): Spelled {
  const { ids, of, told } = idsBy(meant, choose);
  const json = jsonBy(choose);
  const isNamed = meant.end === 'done' && meant.calls.length > 0 && choose(2) === 0;
  const stop_reason = isNamed ? 'tool_use' : STOPS[meant.end];
  const stop_details =
    meant.refusal === '' ? {} : { stop_details: { type: 'refusal', explanation: meant.refusal } };
  const usage = {
    input_tokens: meant.prompt - meant.cached,
    cache_read_input_tokens: meant.cached,
    output_tokens: meant.completion,
  };
  const how = JSON.stringify({ ids, stop_reason, isStreamed });
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
  const blocks: Json[] = [
    ...(meant.reasoning === '' ? [] : [{ type: 'thinking', thinking: meant.reasoning, signature: 'c2ln' }]),
    ...(meant.content === '' ? [] : [{ type: 'text', text: meant.content }]),
    ...meant.calls.map(({ name, args }, n) => ({
      type: 'tool_use',
      ...(of(n) !== undefined && { id: of(n) }),
      name,
      input: JSON.parse(args),
    })),
  ];
  if (!isStreamed) {
    const answer = { ...head, content: blocks, stop_reason, ...stop_details, usage };
    return { type: 'application/json', bytes: Buffer.from(json(answer)), how, ...told };
  }
  const next = () => choose(1_000);
  const events: Json[] = [
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...blocks.flatMap((block, index) => {
      const delta = (one: Json) => ({ type: 'content_block_delta', index, delta: one });
      const stop = { type: 'content_block_stop', index };
      const ping = choose(5) === 0 ? [{ type: 'ping' }] : [];
      if (block.type === 'text') {
        const cut = pieces(meant.content, next).map((text) => delta({ type: 'text_delta', text }));
        return [
          { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
          ...ping,
          ...cut,
          stop,
        ];
      }
      if (block.type === 'thinking') {
        const cut = pieces(meant.reasoning, next).map((thinking) =>
          delta({ type: 'thinking_delta', thinking }),
        );
        const signed = delta({ type: 'signature_delta', signature: 'c2ln' });
        return [
          { type: 'content_block_start', index, content_block: { ...block, thinking: '', signature: '' } },
          ...cut,
          signed,
          stop,
        ];
      }
      const isWhole = choose(4) === 0;
      const cut = isWhole
        ? []
        : pieces(JSON.stringify(block.input), next).map((partial_json) =>
            delta({ type: 'input_json_delta', partial_json }),
          );
      return [
        { type: 'content_block_start', index, content_block: isWhole ? block : { ...block, input: {} } },
        ...ping,
        ...cut,
        stop,
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, ...stop_details },
      usage: { output_tokens: meant.completion },
    },
    { type: 'message_stop' },
  ];
  const isNamedEvent = choose(3) > 0;
  const bytes = sseBy(
    choose,
    events.map((event) => ({ ...(isNamedEvent && { name: String(event.type) }), data: json(event) })),
  );
  return { type: 'text/event-stream', bytes, how, ...told };
}

const REASONS = { done: 'STOP', length: 'MAX_TOKENS', filtered: 'SAFETY' } as const;

/** Without refusals in words, which it has not. */
export function geminiSpelling(meant: Meant, choose: Choose, isStreamed: boolean): Spelled {
  const { ids, of, told } = idsBy(meant, choose);
  const json = jsonBy(choose);
  const next = () => choose(1_000);
  const finishReason = REASONS[meant.end];
  const cut = (text: string) => (isStreamed ? pieces(text, next) : text === '' ? [] : [text]);
  const parts: Json[] = [
    ...cut(meant.reasoning).map((text) => ({ text, thought: true })),
    ...cut(meant.content).map((text) => ({ text })),
    ...meant.calls.map(({ name, args }, n) => ({
      functionCall: { ...(of(n) !== undefined && { id: of(n) }), name, args: JSON.parse(args) },
    })),
  ];
  const usageMetadata = {
    promptTokenCount: meant.prompt,
    cachedContentTokenCount: meant.cached,
    candidatesTokenCount: meant.completion,
    totalTokenCount: meant.prompt + meant.completion,
  };
  const responseId = choose(2) === 0 ? { responseId: `r${choose(1_000_000_000)}` } : {};
  const how = JSON.stringify({ ids, isStreamed, finishReason });
  const chunk = (some: readonly Json[], more: Json = {}) => ({
    candidates: [{ content: { role: 'model', parts: some }, ...more }],
    ...responseId,
  });
  if (!isStreamed) {
    const bytes = Buffer.from(json({ ...chunk(parts, { finishReason }), usageMetadata }));
    return { type: 'application/json', bytes, how, ...told };
  }
  const chunks: Json[] = parts.map((part) => chunk([part]));
  if (choose(2) === 0 && chunks.length > 0)
    chunks.splice(-1, 1, { ...chunk(parts.slice(-1), { finishReason }), usageMetadata });
  else chunks.push({ ...chunk([], { finishReason }), usageMetadata });
  return {
    type: 'text/event-stream',
    bytes: sseBy(
      choose,
      chunks.map((one) => ({ data: json(one) })),
    ),
    how,
    ...told,
  };
}

const CONVERSE_STOPS = { done: 'end_turn', length: 'max_tokens', filtered: 'content_filtered' } as const;

/** Without refusals in words, which it has not. */
export function converseSpelling(meant: Meant, choose: Choose, isStreamed: boolean): Spelled {
  const { ids, of, told } = idsBy(meant, choose);
  const isNamed = meant.end === 'done' && meant.calls.length > 0 && choose(2) === 0;
  const stopReason = isNamed ? 'tool_use' : CONVERSE_STOPS[meant.end];
  const usage = {
    inputTokens: meant.prompt - meant.cached,
    cacheReadInputTokens: meant.cached,
    outputTokens: meant.completion,
  };
  const how = JSON.stringify({ ids, stopReason, isStreamed });
  const toolUse = (n: number, name: string) => ({ ...(of(n) !== undefined && { toolUseId: of(n) }), name });
  if (!isStreamed) {
    const content = [
      ...(meant.reasoning === '' ? [] : [{ reasoningContent: { reasoningText: { text: meant.reasoning } } }]),
      ...(meant.content === '' ? [] : [{ text: meant.content }]),
      ...meant.calls.map(({ name, args }, n) => ({
        toolUse: { ...toolUse(n, name), input: JSON.parse(args) },
      })),
    ];
    const answer = { output: { message: { role: 'assistant', content } }, stopReason, usage };
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(answer)), how, ...told };
  }
  const next = () => choose(1_000);
  let contentBlockIndex = 0;
  const block = (start: Json | undefined, deltas: readonly Json[]) => {
    const index = contentBlockIndex++;
    const at = { contentBlockIndex: index };
    return [
      ...(start === undefined ? [] : [{ event: 'contentBlockStart', payload: { ...at, start } }]),
      ...deltas.map((delta) => ({ event: 'contentBlockDelta', payload: { ...at, delta } })),
      { event: 'contentBlockStop', payload: at },
    ];
  };
  const frames = [
    { event: 'messageStart', payload: { role: 'assistant' } },
    ...(meant.reasoning === ''
      ? []
      : block(
          undefined,
          pieces(meant.reasoning, next).map((text) => ({ reasoningContent: { text } })),
        )),
    ...(meant.content === ''
      ? []
      : block(
          undefined,
          pieces(meant.content, next).map((text) => ({ text })),
        )),
    ...meant.calls.flatMap(({ name, args }, n) =>
      block(
        { toolUse: toolUse(n, name) },
        pieces(args, next).map((input) => ({ toolUse: { input } })),
      ),
    ),
    { event: 'messageStop', payload: { stopReason } },
    { event: 'metadata', payload: { usage } },
  ];
  return {
    type: 'application/vnd.amazon.eventstream',
    bytes: Buffer.concat(frames.map(encodeFrame)),
    how,
    ...told,
  };
}
