// A provider of the OpenAI shape: an answer in one piece at once; as many pieces as the thousands of
// `max_tokens` say as fast as they are taken, one a turn; or pieces at a fixed pace, each of which says when it was written, in microseconds.
// It speaks Messages and Responses too, as some of those do: streams as fast as they are taken; and it makes embeddings.
import { createServer } from 'node:http';
import { listen, settings } from './settings.mjs';

const { count, perSecond } = settings.pieces;
const common = {
  id: 'chatcmpl-bench',
  created: 1_750_000_000,
  model: 'bench-2025',
  system_fingerprint: 'fp_b',
};
const usage = { prompt_tokens: 14, completion_tokens: 40, total_tokens: 54 };
const whole = Buffer.from(
  JSON.stringify({
    ...common,
    object: 'chat.completion',
    service_tier: 'default',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'The quick brown fox jumps over the lazy dog. '.repeat(4),
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      ...usage,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  }),
);
const PIECE = event([
  { index: 0, delta: { content: ' brown fox jumps' }, logprobs: null, finish_reason: null },
]);
const END = [event([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]), event([], usage)].join(
  '',
);

const CHAT = { piece: PIECE, end: `${END}data: [DONE]\n\n` };

const counts = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 40 };
const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench-2025', content: [] };
const MESSAGES = {
  start: [
    named({
      type: 'message_start',
      message: { ...message, stop_reason: null, stop_sequence: null, usage: { input_tokens: 14, ...counts } },
    }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ].join(''),
  piece: named({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: ' brown fox jumps' },
  }),
  end: [
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 14, ...counts },
    }),
    named({ type: 'message_stop' }),
  ].join(''),
};

const response = {
  id: 'resp_bench',
  object: 'response',
  created_at: 1_750_000_000,
  model: 'bench-2025',
  error: null,
};
const item = { id: 'msg_bench', type: 'message', role: 'assistant' };
const text = { type: 'output_text', annotations: [], logprobs: [] };
const at = { item_id: item.id, output_index: 0, content_index: 0 };
const RESPONSES = {
  start: [
    named({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
    named({ type: 'response.in_progress', response: { ...response, status: 'in_progress', output: [] } }),
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    }),
    named({ type: 'response.content_part.added', ...at, part: { ...text, text: '' } }),
  ].join(''),
  piece: named({ type: 'response.output_text.delta', ...at, delta: ' brown fox jumps', logprobs: [] }),
  end: [
    named({ type: 'response.output_text.done', ...at, text: ' brown fox jumps', logprobs: [] }),
    named({ type: 'response.content_part.done', ...at, part: { ...text, text: ' brown fox jumps' } }),
    named({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, status: 'completed', content: [{ ...text, text: ' brown fox jumps' }] },
    }),
    named({
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        output: [{ ...item, status: 'completed', content: [{ ...text, text: ' brown fox jumps' }] }],
        usage: {
          ...{ input_tokens: 14, output_tokens: 40, total_tokens: 54 },
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
    }),
  ].join(''),
};
/** As many numbers as the smaller of OpenAI's models has. */
const embedding = Buffer.from(
  JSON.stringify({
    object: 'list',
    data: [
      {
        object: 'embedding',
        index: 0,
        embedding: Array.from({ length: 1536 }, (_, at) => Number((Math.sin(at + 1) / 27.7).toFixed(9))),
      },
    ],
    model: 'bench-2025',
    usage: { prompt_tokens: 68, total_tokens: 68 },
  }),
);

/** By the end of the path. */
const FORMATS = { messages: MESSAGES, responses: RESPONSES };

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString('latin1');
    if (body.includes('"stream":true')) {
      const fast = /"max_(?:completion_|output_)?tokens":(\d+)000\b/.exec(body);
      const format = FORMATS[request.url.split('/').at(-1)] ?? CHAT;
      return fast === null ? stream(response) : streamFast(response, Number(fast[1]), format);
    }
    const answer = request.url.endsWith('/embeddings') ? embedding : whole;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
});
server.keepAliveTimeout = 60_000;
listen(server);

function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  let left = count;
  const timer = setInterval(() => {
    const content = `${Math.round((performance.timeOrigin + performance.now()) * 1000)} `;
    response.write(event([{ index: 0, delta: { content }, logprobs: null, finish_reason: null }]));
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    response.end(`${END}data: [DONE]\n\n`);
  }, 1000 / perSecond);
  response.on('close', () => clearInterval(timer));
}

function streamFast(response, left, { start, piece, end }) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (start !== undefined) response.write(start);
  const next = () => {
    if (left === 0) return response.end(end);
    left -= 1;
    const isTaken = response.write(piece);
    if (isTaken) setImmediate(next);
    else response.once('drain', next);
  };
  next();
}

function named(event) {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function event(choices, usage = null) {
  return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, usage })}\n\n`;
}
