/** An agent that lives through the day at one provider: it keeps the conversation, and goes on after what fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import type { HostsGateway } from '../../support/hosts/gateway.js';
import { type Host, modelIdOf } from '../../support/hosts/table.js';
import { type Heard, hear } from '../../support/providers.js';
import { type Answer, type Row, recordOf } from '../../support/rest.js';
import {
  DAY,
  REPORT,
  resultOf,
  SYSTEM,
  TOOLS,
  type ToolCall,
  type Trouble,
  type Turn,
  type TurnUsage,
  usageOf,
  withoutMedia,
  withoutTools,
} from './day.js';
import { overflowOf, rateLimitOf, replyOf } from './replies.js';

/** What a client saw of the day, without any ids. */
export type Scene =
  | {
      readonly thoughts: unknown;
      readonly text: unknown;
      readonly calls: readonly ToolCall[];
      readonly end: string | null;
    }
  | { readonly trouble: Trouble; readonly code: number | null; readonly reason: unknown };

/** An answered turn. */
export interface Answered {
  readonly id: string;
  readonly usage: TurnUsage;
  /** As the answer says. */
  readonly told: Row;
}

/** A refusal of what the host has no place for. */
interface Untaken {
  readonly status: number;
  readonly reason: unknown;
  /** The member that it names. */
  readonly param: unknown;
}

interface Broken {
  readonly id: string;
  readonly usage: TurnUsage;
  readonly trouble: Trouble;
}

export interface LivedDay {
  readonly transcript: readonly Scene[];
  readonly answered: readonly Answered[];
  /** Streams that broke off, and what their provider counts of them. */
  readonly broken: readonly Broken[];
  /** What was told of media that the host has no place for, each before anything was sent. */
  readonly untaken: readonly Untaken[];
}

/** Of each answer. */
export const MAX_TOKENS = 4_000;

/** Long enough for a client to leave while it comes. */
const SLOW = { paceMs: 60 };
const NEVER = { delayMs: 30_000 };
/** The days of all hosts go on at once. */
const PATIENCE = { timeout: 30_000 };
const RETRY_AFTER_SECONDS = 1;
/** In the middle of an answer in one piece, and of a stream that has begun to say something; of Responses one begins with the request, twice. */
const CUT_AFTER_BYTES = { whole: 250, stream: 1600, responsesStream: 6400 };

/** The day as the host's models can live it. */
export function dayAt({ lacks }: Host): readonly Turn[] {
  return lacks.includes('tools') ? DAY.map(withoutTools) : DAY;
}

/** Whether the host itself answers in pieces; chats of the day have tools. */
export function answersInPieces({ lacks }: Host, stream: boolean): boolean {
  return stream && !lacks.includes('streamed tools');
}

/** Plays the day; streamed or in one piece. */
export async function liveDay(gateway: HostsGateway, host: Host, stream: boolean): Promise<LivedDay> {
  const transcript: Scene[] = [];
  const answered: Answered[] = [];
  const broken: Broken[] = [];
  const untaken: Untaken[] = [];
  let history: Row[] = [];
  let turnsBefore = 0;
  for (const [n, turn] of dayAt(host).entries()) {
    const last = history.at(-1)?.tool_calls as readonly WireCall[] | undefined;
    const left = withoutMedia(turn, host.lacks);
    if (left !== undefined) {
      const before = gateway.requests(host).length;
      const body = bodyFor(host, [...history, asked(turn.asked)], turn, stream);
      const { status, error } = hear(await gateway.use('POST', '/chat/completions', body));
      untaken.push({ status, reason: error?.metadata?.reason, param: error?.param });
      expect(gateway.requests(host)).toHaveLength(before);
    }
    const isAsked = turn.asked !== undefined;
    const said = isAsked ? [asked(left ?? turn.asked)] : (last ?? []).map(resultMessage).toReversed();
    history = [...history, ...said];
    if (turn.trouble !== undefined) {
      const usage = usageOf(turn, turnsBefore);
      const isCut = answersInPieces(host, stream);
      gateway.plan(host, planOf(turn.trouble, host, replyOf(host, turn, usage, n), isCut));
      const body = bodyFor(host, history, turn, stream);
      const { scene, id } = await meet(turn.trouble, gateway, host, body, isCut);
      transcript.push(scene);
      if (id !== null) broken.push({ id, usage, trouble: turn.trouble });
      if (turn.trouble === 'overflow') {
        history = [{ role: 'user', content: 'So far all is done.' }, DONE, ...said];
        turnsBefore = 0;
      }
    }
    const usage = usageOf(turn, turnsBefore);
    gateway.plan(host, replyOf(host, turn, usage, n));
    const answer = await gateway.use('POST', '/chat/completions', bodyFor(host, history, turn, stream));
    expect([host.name, n, answer.status, answer.text]).toEqual([host.name, n, 200, expect.anything()]);
    const { message, finish_reason: end } = answerIn(answer, stream);
    transcript.push({
      thoughts: message.reasoning ?? null,
      text: message.content,
      calls: ((message.tool_calls ?? []) as readonly WireCall[]).map(callOf),
      end,
    });
    const heard = hear(answer);
    answered.push({ id: heard.id, usage, told: { ...heard.usage } });
    history = [...history, message];
    turnsBefore += 1;
  }
  return { transcript, answered, broken, untaken };
}

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

const DONE = { role: 'assistant', content: 'Good. What is next?' };

function asked(content: Turn['asked']): Row {
  return { role: 'user', content };
}

function callOf({ function: { name, arguments: text } }: WireCall): ToolCall {
  return { name, input: JSON.parse(text) };
}

function resultMessage(call: WireCall): Row {
  return { role: 'tool', tool_call_id: call.id, content: resultOf(callOf(call)) };
}

/** The beginning is marked for the cache. */
function bodyFor(host: Host, history: readonly Row[], turn: Turn, stream: boolean): object {
  const mark = { cache_control: { type: 'ephemeral' } };
  const system = { role: 'system', content: [{ type: 'text', text: SYSTEM, ...mark }] };
  return {
    model: modelIdOf(host),
    messages: [system, ...history],
    tools: TOOLS,
    max_tokens: MAX_TOKENS,
    reasoning: { effort: 'low' },
    stream,
    ...(turn.isReport === true && { response_format: REPORT }),
  };
}

function planOf(trouble: Trouble, host: Host, reply: object, isInPieces: boolean): object {
  switch (trouble) {
    case 'rate limit':
      return rateLimitOf(host, RETRY_AFTER_SECONDS);
    case 'overflow':
      return overflowOf(host);
    case 'cut': {
      const stream = host.format === 'responses' ? 'responsesStream' : 'stream';
      return { ...reply, cutAfterBytes: CUT_AFTER_BYTES[isInPieces ? stream : 'whole'] };
    }
    case 'cancel':
      return isInPieces ? { ...reply, ...SLOW } : NEVER;
  }
}

/** What the client saw, and the id of the generation where the provider had begun to answer. */
async function meet(
  trouble: Trouble,
  gateway: HostsGateway,
  host: Host,
  body: object,
  isInPieces: boolean,
): Promise<{ readonly scene: Scene; readonly id: string | null }> {
  if (trouble === 'cancel') {
    const id = await leave(gateway, host, body, isInPieces);
    return { scene: { trouble, code: null, reason: null }, id };
  }
  const answer = await gateway.use('POST', '/chat/completions', body);
  const heard = hear(answer);
  const scene = { trouble, code: heard.error?.code ?? null, reason: heard.error?.metadata?.reason ?? null };
  if (trouble === 'rate limit') await waitAsTold(answer);
  return { scene, id: hasBegun(heard) ? heard.id : null };
}

function hasBegun({ status, error }: Heard): boolean {
  return status === 200 && error !== null;
}

/** A timer may end a millisecond early. */
async function waitAsTold({ headers }: Answer): Promise<void> {
  await sleep(1000 * Number(headers['retry-after']) + 20);
}

/** A chunk with thoughts or text. */
const SOMETHING = /"(?:reasoning|content)":"[^"]/;

/** Leaves a stream once something of the answer has come, an answer in one piece once it has been asked for. */
async function leave(
  { rest, apiKey, requests, use }: HostsGateway,
  host: Host,
  body: object,
  isInPieces: boolean,
): Promise<string | null> {
  const before = requests(host).length;
  const leaving = new AbortController();
  const answering = fetch(`${rest}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  if (!isInPieces) {
    await vi.waitFor(() => expect(requests(host)).toHaveLength(before + 1), PATIENCE);
    leaving.abort();
    await answering.catch(() => undefined);
    return null;
  }
  const answer = await answering;
  let text = '';
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (SOMETHING.test(text)) break;
  }
  expect(text).toMatch(SOMETHING);
  leaving.abort();
  const id = answer.headers.get('x-generation-id');
  await vi.waitFor(async () => {
    const record = recordOf(await use('GET', `/generation?id=${id}`));
    expect(record).toMatchObject({ model: modelIdOf(host), cancelled: true });
  }, PATIENCE);
  return id;
}
