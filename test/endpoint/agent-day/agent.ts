/** An agent that lives through the day at one provider: it keeps the conversation, and goes on after what fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import type { Platform, PlatformsGateway } from '../../support/platforms.js';
import { type Heard, hear } from '../../support/providers.js';
import { type Answer, type Row, rowsOf } from '../../support/rest.js';
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
} from './day.js';
import { overflowOf, rateLimitOf, replyOf } from './replies.js';

/** The name of the model below each platform's slug. */
export const MODEL = 'agent';

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

export interface LivedDay {
  readonly transcript: readonly Scene[];
  readonly answered: readonly Answered[];
  /** Streams that broke off, and what their provider counts of them. */
  readonly broken: readonly { readonly id: string; readonly usage: TurnUsage }[];
}

/** Long enough for a client to leave while it comes. */
const SLOW = { paceMs: 60 };
const NEVER = { delayMs: 30_000 };
/** Five days go on at once. */
const PATIENCE = { timeout: 15_000 };
const RETRY_AFTER_SECONDS = 1;
/** In the middle of an answer in one piece, and of a stream that has begun to say something. */
const CUT_AFTER_BYTES = { whole: 250, stream: 1600 };

/** Plays the day; streamed or in one piece. */
export async function liveDay(
  gateway: PlatformsGateway,
  platform: Platform,
  stream: boolean,
): Promise<LivedDay> {
  const transcript: Scene[] = [];
  const answered: Answered[] = [];
  const broken: { id: string; usage: TurnUsage }[] = [];
  let history: Row[] = [];
  let turnsBefore = 0;
  for (const [n, turn] of DAY.entries()) {
    const last = history.at(-1)?.tool_calls as readonly WireCall[] | undefined;
    const said = turn.asked === undefined ? (last ?? []).map(resultMessage).toReversed() : [asked(turn)];
    history = [...history, ...said];
    if (turn.trouble !== undefined) {
      const usage = usageOf(turn, turnsBefore);
      const plan = planOf(turn.trouble, platform, replyOf(platform, turn, usage, n), stream);
      gateway.plan(platform, MODEL, plan);
      const body = bodyFor(platform, history, turn, stream);
      const { scene, id } = await meet(turn.trouble, gateway, platform, body);
      transcript.push(scene);
      if (id !== null) broken.push({ id, usage });
      if (turn.trouble === 'overflow') {
        history = [{ role: 'user', content: 'So far all is done.' }, DONE, ...said];
        turnsBefore = 0;
      }
    }
    const usage = usageOf(turn, turnsBefore);
    gateway.plan(platform, MODEL, replyOf(platform, turn, usage, n));
    const answer = await gateway.use('POST', '/chat/completions', bodyFor(platform, history, turn, stream));
    expect([platform.slug, n, answer.status, answer.text]).toEqual([
      platform.slug,
      n,
      200,
      expect.anything(),
    ]);
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
  return { transcript, answered, broken };
}

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

const DONE = { role: 'assistant', content: 'Good. What is next?' };

function asked({ asked: content }: Turn): Row {
  return { role: 'user', content };
}

function callOf({ function: { name, arguments: text } }: WireCall): ToolCall {
  return { name: name as ToolCall['name'], input: JSON.parse(text) };
}

function resultMessage(call: WireCall): Row {
  return { role: 'tool', tool_call_id: call.id, content: resultOf(callOf(call)) };
}

/** The beginning is marked for the cache. */
function bodyFor({ slug }: Platform, history: readonly Row[], turn: Turn, stream: boolean): object {
  const mark = { cache_control: { type: 'ephemeral' } };
  const system = { role: 'system', content: [{ type: 'text', text: SYSTEM, ...mark }] };
  return {
    model: `${slug}/${MODEL}`,
    messages: [system, ...history],
    tools: TOOLS,
    max_tokens: 4000,
    reasoning: { effort: 'low' },
    stream,
    ...(turn.isReport === true && { response_format: REPORT }),
  };
}

function planOf(trouble: Trouble, platform: Platform, reply: object, stream: boolean): object {
  switch (trouble) {
    case 'rate limit':
      return rateLimitOf(platform, RETRY_AFTER_SECONDS);
    case 'overflow':
      return overflowOf(platform);
    case 'cut':
      return { ...reply, cutAfterBytes: stream ? CUT_AFTER_BYTES.stream : CUT_AFTER_BYTES.whole };
    case 'cancel':
      return stream ? { ...reply, ...SLOW } : NEVER;
  }
}

/** What the client saw, and the id of the generation where the provider had begun to answer. */
async function meet(
  trouble: Trouble,
  gateway: PlatformsGateway,
  platform: Platform,
  body: object,
): Promise<{ readonly scene: Scene; readonly id: string | null }> {
  if (trouble === 'cancel') {
    const id = await leave(gateway, platform, body);
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
  { rest, apiKey, fakes, manage }: PlatformsGateway,
  { slug, fake }: Platform,
  body: object,
): Promise<string | null> {
  const { requests } = fakes[fake];
  const before = requests.length;
  const leaving = new AbortController();
  const answering = fetch(`${rest}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  if (!('stream' in body && body.stream === true)) {
    await vi.waitFor(() => expect(requests).toHaveLength(before + 1), PATIENCE);
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
    const row = rowsOf(await manage('GET', '/generations')).find((one) => one.id === id);
    expect(row).toMatchObject({ model: `${slug}/${MODEL}`, cancelled: true });
  }, PATIENCE);
  return id;
}
