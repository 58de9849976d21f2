/** Hosts of OpenAI's chat format: what they do is in docs/providers/openai-compatible.md. */
import { type Choose, finishOf, type Meant, pieces } from './meant.js';
import { jsonBy, type Spelled, sseBy } from './spelled.js';

const IDS = ['own', 'none', 'empty', 'shared', 'changing', 'repeated'] as const;
const INDEXES = ['right', 'zero', 'none', 'from one', 'gaps'] as const;
const WORDS: Readonly<Record<string, readonly (string | null)[]>> = {
  stop: ['stop', 'eos', 'end_turn', 'COMPLETE', 'whatever', null],
  tool_calls: ['tool_calls', 'stop', 'function_call', 'tool_use', null],
  length: ['length', 'model_length', 'MAX_TOKENS'],
  content_filter: ['content_filter', 'sensitive', 'SAFETY'],
};

type Json = Record<string, unknown>;

export function chatSpelling(meant: Meant, choose: Choose, isStreamed: boolean): Spelled {
  const pick = <T>(list: readonly T[]): T => list[choose(list.length)] as T;
  const ids = pick(IDS);
  const indexes = ids === 'changing' ? 'right' : pick(INDEXES);
  const reasoningAs = pick(['reasoning', 'reasoning_content', 'parts'] as const);
  const word = pick(WORDS[finishOf(meant)] ?? ['stop']);
  const asObject = choose(4) === 0;
  const json = jsonBy(choose);
  const usage = usageBy(meant, choose);
  const how = JSON.stringify({ isStreamed, ids, indexes, reasoningAs, word, asObject, usage });
  const own = meant.calls.map((_, n) => `call_${choose(1_000_000)}_${n}`);
  const idOf = (n: number, isFirst: boolean): Json => {
    if (ids === 'none') return {};
    if (ids === 'empty') return { id: '' };
    if (ids === 'shared') return isFirst ? { id: 'call_shared' } : {};
    if (ids === 'changing') return { id: `call_${choose(1_000_000)}_${n}` };
    return isFirst || ids === 'repeated' ? { id: own[n] } : {};
  };
  const indexOf = (n: number): Json => {
    if (indexes === 'none') return {};
    return { index: { right: n, zero: 0, 'from one': n + 1, gaps: 3 * n }[indexes] };
  };
  const argsOf = (args: string) => (asObject ? JSON.parse(args) : args);
  const told = ids === 'own' || ids === 'repeated' ? { ids: own } : {};

  if (!isStreamed) {
    const calls = meant.calls.map(({ name, args }, n) => ({
      ...indexOf(n),
      ...idOf(n, true),
      type: 'function',
      function: { name, arguments: argsOf(args) },
    }));
    const content =
      reasoningAs === 'parts' && meant.reasoning !== ''
        ? [
            { type: 'thinking', thinking: [{ type: 'text', text: meant.reasoning }] },
            { type: 'text', text: meant.content },
          ]
        : meant.content || null;
    const message = {
      role: 'assistant',
      content,
      ...(meant.refusal !== '' && { refusal: meant.refusal }),
      ...(reasoningAs !== 'parts' && meant.reasoning !== '' && { [reasoningAs]: meant.reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const answer = {
      choices: [{ ...(choose(2) === 0 && { index: 0 }), message, finish_reason: word }],
      usage,
    };
    return { type: 'application/json', bytes: Buffer.from(json(answer)), how, ...told };
  }

  const next = () => choose(1_000);
  const deltas: Json[] = [];
  const said = (text: string) =>
    reasoningAs === 'parts' && choose(2) === 0 ? [{ type: 'text', text }] : text;
  for (const text of pieces(meant.reasoning, next)) {
    deltas.push(
      reasoningAs === 'parts'
        ? { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
        : { [reasoningAs]: text },
    );
  }
  for (const text of pieces(meant.content, next)) deltas.push({ content: said(text) });
  for (const refusal of pieces(meant.refusal, next)) deltas.push({ refusal });
  // With one id, the opening of the next call before the end of this one may as well be this one's once more.
  const canInterleave = ids !== 'shared' && indexes !== 'none' && indexes !== 'zero' && choose(2) === 0;
  const perCall = meant.calls.map(({ name, args }, n) => {
    const opening = asObject || choose(3) === 0;
    const cut = asObject ? [] : opening ? pieces(args.slice(1), next) : pieces(args, next);
    const first = asObject ? argsOf(args) : opening ? args[0] : '';
    const again = ids === 'repeated' ? { type: 'function' } : {};
    const named = ids === 'repeated' ? { name } : choose(3) === 0 ? { name: '' } : {};
    return [
      { ...indexOf(n), ...idOf(n, true), type: 'function', function: { name, arguments: first } },
      ...cut.map((text) => ({
        ...indexOf(n),
        ...idOf(n, false),
        ...again,
        function: { ...named, arguments: text },
      })),
    ];
  });
  const isAtOnce = choose(4) === 0;
  if (isAtOnce) {
    const fragments = perCall.flat();
    if (fragments.length > 0) deltas.push({ tool_calls: fragments });
  } else {
    const open = perCall.map((fragments) => [...fragments]);
    while (open.some((fragments) => fragments.length > 0)) {
      const left = open.filter((fragments) => fragments.length > 0);
      // Openings come in order: clients number calls by them.
      const begun = left.filter(
        (fragments) => fragments.length < (perCall[open.indexOf(fragments)]?.length ?? 0),
      );
      const queue =
        canInterleave && begun.length > 0 && choose(2) === 0
          ? begun[choose(begun.length)]
          : canInterleave && choose(2) === 0
            ? (left.find((one) => !begun.includes(one)) ?? left[0])
            : left[0];
      deltas.push({ tool_calls: [queue?.shift()] });
    }
  }
  return {
    type: 'text/event-stream',
    bytes: streamBytes(deltas, { word, usage, choose, json }),
    how: `${how} ${isAtOnce ? 'at once' : ''}`,
    ...told,
  };
}

interface Ending {
  readonly word: string | null;
  readonly usage: Json;
  readonly choose: Choose;
  readonly json: (value: unknown) => string;
}

function streamBytes(deltas: readonly Json[], { word, usage, choose, json }: Ending): Buffer {
  const roles = choose(3);
  const nulls = choose(2) === 0;
  const filled = deltas.flatMap((delta, n) => {
    const role = roles === 0 || (roles === 1 && n === 0) ? { role: 'assistant' } : {};
    const empty = choose(6) === 0 ? [{ content: '' }] : choose(6) === 0 ? [{}] : [];
    return [
      ...empty,
      { ...(nulls && { content: null, tool_calls: null, refusal: null }), ...role, ...delta },
    ];
  });
  const chunks: Json[] = filled.map((delta) => ({
    choices: [{ index: 0, delta, finish_reason: choose(3) === 0 ? '' : null }],
  }));
  const place = choose(5);
  const last = chunks.at(-1) as { choices: Json[] } | undefined;
  if (word !== null && last !== undefined && choose(3) === 0)
    last.choices = [{ ...last.choices[0], finish_reason: word }];
  else chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: word }] });
  const end = chunks.at(-1) as { choices: Json[] } & Json;
  if (place === 0) Object.assign(end, { usage });
  else if (place === 1) end.choices = [{ ...end.choices[0], usage }];
  else if (place === 2) Object.assign(end, { x_groq: { usage } });
  else if (place === 3) for (const chunk of chunks) Object.assign(chunk, { usage });
  else chunks.push({ choices: [], usage });
  // Without a reason, only the word that the stream is done says so.
  const done = word === null || choose(4) > 0 ? [{ data: '[DONE]' }] : [];
  return sseBy(choose, [...chunks.map((chunk) => ({ data: json(chunk) })), ...done]);
}

function usageBy({ prompt, cached, completion }: Meant, choose: Choose): Json {
  const total = { total_tokens: prompt + completion };
  const inside = { prompt_tokens: prompt, completion_tokens: completion };
  const beside = { prompt_tokens: prompt - cached, completion_tokens: completion };
  switch (choose(6)) {
    case 0:
      return { ...inside, ...total, prompt_tokens_details: { cached_tokens: cached } };
    case 1:
      return { ...inside, ...total, cached_tokens: cached };
    case 2:
      return { ...inside, prompt_cache_hit_tokens: cached };
    case 3:
      return {
        input_tokens: prompt,
        output_tokens: completion,
        ...total,
        input_tokens_details: { cached_tokens: cached },
      };
    case 4:
      return { ...beside, ...total, cache_read_input_tokens: cached };
    default:
      return { ...beside, ...total, prompt_tokens_details: { cached_tokens: cached } };
  }
}
