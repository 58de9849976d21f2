/** What providers send for one stream, each in its own protocol: the same words in as many pieces. */

const PIECES = 20;
const WORDS = Array.from({ length: PIECES }, (_, index) => `word${index} `);

/** OpenAI's chunks, which Azure sends too. */
export function openAiEvents(): string {
  const chunk = (choices: object[], usage: object | null = null) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-b', object: 'chat.completion.chunk', created: 1_750_000_000, model: 'm', choices, usage })}\n\n`;
  const piece = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  const usage = { prompt_tokens: 9, completion_tokens: PIECES, total_tokens: 9 + PIECES };
  return [
    piece({ role: 'assistant', content: '' }),
    ...WORDS.map((content) => piece({ content })),
    piece({}, 'stop'),
    chunk([], usage),
    'data: [DONE]\n\n',
  ].join('');
}

/** Anthropic's events. */
export function anthropicEvents(): string {
  const event = (type: string, members: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const message = { id: 'msg_b', type: 'message', role: 'assistant', model: 'm', content: [] };
  const usage = { input_tokens: 9, output_tokens: 1 };
  return [
    event('message_start', { message: { stop_reason: null, stop_sequence: null, usage, ...message } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...WORDS.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: PIECES },
    }),
    event('message_stop', {}),
  ].join('');
}

/** Gemini's answers, one after the other. */
export function geminiEvents(): string {
  return WORDS.map((text, index) => {
    const isLast = index === PIECES - 1;
    const candidate = { content: { role: 'model', parts: [{ text }] }, index: 0 };
    const usageMetadata = {
      promptTokenCount: 9,
      candidatesTokenCount: index + 1,
      totalTokenCount: 10 + index,
    };
    const candidates = [isLast ? { finishReason: 'STOP', ...candidate } : candidate];
    return `data: ${JSON.stringify({ candidates, usageMetadata, modelVersion: 'm', responseId: 'r' })}\r\n\r\n`;
  }).join('');
}
