/** Every way from a generated conversation to the body that a strict host judges, without a socket. */

import { readJson } from '../../../src/base/json/bounded/read-json.js';
import { INFERENCE_LIMITS } from '../../../src/base/json/bounded/structure.js';
import { exactJson } from '../../../src/base/json/json-body.js';
import { wellFormedJson } from '../../../src/base/json/well-formed.js';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { AdapterName, NativeFormat } from '../../../src/catalog/types.js';
import type { JsonObject } from '../../../src/formats/chat/types.js';
import { elements, members } from '../../../src/formats/json.js';
import { withoutOwn } from '../../../src/formats/messages/native.js';
import type { MessagesBody } from '../../../src/formats/messages/types.js';
import { upstreamRequest } from '../../../src/inference/attempts/upstream-body.js';
import type { UpstreamCall } from '../../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../../src/inference/ports/failure.js';
import { maxAnswerTokens } from '../../../src/inference/ports/usage.js';
import { reasoningOf } from '../../../src/inference/reasoning/reasoning.js';
import { bedrock } from '../../../src/providers/amazon-bedrock/index.js';
import { anthropic } from '../../../src/providers/anthropic/index.js';
import { azure } from '../../../src/providers/azure/index.js';
import { vertex } from '../../../src/providers/google-vertex/index.js';
import type { Codec, HttpProvider } from '../../../src/providers/http/codec.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { openAi } from '../../../src/providers/openai/index.js';
import type { Conversation } from '../../support/conversations/conversation.js';
import { parseExact } from '../../support/conversations/exact-json.js';
import { lost, saidIn } from '../../support/conversations/said.js';
import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { CHAT_HOSTS } from '../../support/strict/hosts/index.js';
import { NATIVE_HOSTS, RESPONSES_HOSTS } from '../../support/strict/native/hosts.js';
import { refusalBy } from '../../support/strict/native/rule.js';
import { refusalOf } from '../../support/strict/rule.js';
import { type Asked, excludedBy, readAs, type Served, servedBy } from './asked.fixture.js';

type LaneFormat = 'chat' | 'messages' | 'converse' | 'gemini' | 'responses';

/** A host, and how a conversation is said to it. */
export interface Lane {
  readonly name: string;
  readonly adapter: Exclude<AdapterName, 'demo'>;
  readonly slug: string;
  readonly model: string;
  readonly format: LaneFormat;
  /** The format that the request is sent in, where it is passed on as it came. */
  readonly native?: NativeFormat;
  /** Whether its models reason. */
  readonly reasons: boolean;
  judge(body: object, isStreamed: boolean, betas: readonly string[]): string | undefined;
}

const REASONING = {
  mandatory: false,
  defaultEffort: undefined,
  defaultEnabled: undefined,
  supportedEfforts: undefined,
  supportsMaxTokens: false,
};

export const CHAT_LANES: readonly Lane[] = CHAT_HOSTS.map((host) => ({
  name: `${host.name} ${host.model}`,
  adapter: host.name === 'azure' ? 'azure' : 'openai',
  slug: host.name,
  model: host.model,
  format: 'chat',
  reasons: true,
  judge: (body, isStreamed) => {
    const refusal = refusalOf(host, { ...body, ...(isStreamed && { stream: true }) } as JsonObject);
    return refusal && `${refusal.rule.refuses} ${JSON.stringify(refusal.body).slice(0, 200)}`;
  },
}));

export const NATIVE_LANES: readonly Lane[] = NATIVE_HOSTS.map((host) => ({
  name: host.name,
  adapter: adapterOf(host.name),
  slug: adapterOf(host.name),
  model: host.model,
  format: host.format,
  reasons: true,
  judge: (body, isStreamed, betas) => refusalBy(host, body, { isStreamed, betas }),
}));

/** Chats as requests to the Responses API, of models that have no chats. */
export const OVER_RESPONSES_LANES: readonly Lane[] = RESPONSES_HOSTS.map((host) => ({
  name: `${host.name}, over which chats are sent`,
  adapter: host.name.endsWith('azure') ? 'azure' : 'openai',
  slug: host.name.endsWith('azure') ? 'azure' : 'openai',
  model: host.model,
  format: host.format,
  reasons: true,
  judge: (body, isStreamed, betas) => refusalBy(host, body, { isStreamed, betas }),
}));

/** Messages passed on as they came, to each host of Claude that takes them so. */
export const MESSAGES_LANES: readonly Lane[] = NATIVE_LANES.filter(({ format }) => format === 'messages').map(
  (lane): Lane => ({
    ...lane,
    name: `${lane.name} as it came`,
    native: 'messages',
    judge: (body, ...more) => lane.judge(withoutNewMembers(body), ...more),
  }),
);

/** Members that are newer than this gateway pass: Anthropic may know them. The generator makes some up. */
function withoutNewMembers(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith('new_')));
}

function adapterOf(name: string): Lane['adapter'] {
  if (name.startsWith('gemini') || name.endsWith('vertex')) return 'google-vertex';
  if (name.endsWith('foundry')) return 'azure';
  return name.startsWith('converse') || name.endsWith('bedrock') ? 'amazon-bedrock' : 'anthropic';
}

const unused = undefined as never;

/** Finds a picture at any address. */
const inlineMedia = createInlineMedia({
  guardedHttp: {
    send: async () => ({ status: 200, headers: { 'content-type': 'image/png' }, body: [PNG] }),
  } as never,
  allowHttp: false,
});

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

type Formats = HttpProvider<unknown>['formats'];

const PROVIDERS = {
  openai: openAi({ http: unused, inlineMedia }),
  azure: azure({ http: unused, guardedHttp: unused }),
  anthropic: anthropic({ http: unused }),
  'amazon-bedrock': bedrock({ http: unused, inlineMedia, clock: unused }),
  'google-vertex': vertex({ http: unused, tokens: unused, inlineMedia }),
} satisfies Record<Lane['adapter'], unknown>;

/** What became of a conversation. */
export type Outcome =
  | { readonly kind: 'fitted' | 'adapted'; readonly body: object }
  /** No client could legally send it. */
  | { readonly kind: 'invalid as sent'; readonly why: string }
  /** The plan excludes the endpoint: other endpoints may take it. */
  | { readonly kind: 'not offered'; readonly why: string }
  /** By the attempt, before it was sent. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'refused by the host' | 'lost'; readonly why: string; readonly body: object };

/** Says a conversation of this format over the lane. */
export async function over(
  lane: Lane,
  format: 'chat' | 'messages',
  { text, betas }: Conversation,
  isStreamed: boolean,
): Promise<Outcome> {
  const given = parsedBody(text);
  const adapted: string[] = [];
  try {
    const { read, chat } = readAs(format, given);
    const [violation] = read?.violations ?? [];
    if (violation !== undefined && lane.native === undefined)
      return { kind: 'invalid as sent', why: `${violation.field}: ${violation.message}` };
    const served = servedBy(lane);
    const excluded = excludedBy(lane, served, { read, chat, given });
    if (excluded !== undefined) return { kind: 'not offered', why: excluded };
    const call = callOf(lane, served, { read, chat, given }, adapted);
    const codec = codecOf(lane, call);
    const fitted = codec.fit({
      ...call,
      ...(betas.length > 0 && { apiHeaders: { 'anthropic-beta': betas } }),
    } as never);
    const isAskedInPieces = isStreamed && (codec.streams?.(fitted.call) ?? true);
    const outgoing = await codec.request(fitted.call, isAskedInPieces);
    const body = parseExact(exactJson(outgoing.body)) as object;
    const inHeader = String(outgoing.headers['anthropic-beta'] ?? '').split(',');
    const sentBetas = [...inHeader, ...elements(members(outgoing.body).anthropic_beta).map(String)].filter(
      Boolean,
    );
    const refusal = lane.judge(body, isAskedInPieces, sentBetas);
    if (refusal !== undefined) return { kind: 'refused by the host', why: refusal, body };
    const asked = withoutForeignThoughts(parseExact(text) as JsonObject);
    const missing = lost(saidIn(format, asked), saidIn(lane.format, body), {
      thoughts: lane.native === undefined,
      tools: true,
      fetched: true,
      spokenCalls: lane.slug === 'perplexity',
    });
    if (missing.length > 0) return { kind: 'lost', why: missing.join('; ').slice(0, 300), body };
    return { kind: adapted.length > 0 ? 'adapted' : 'fitted', body };
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure && thrown.kind === 'invalid_request') {
      return { kind: 'refused', why: thrown.message };
    }
    throw thrown;
  }
}

/** Thoughts that Claude did not sign are none of hers, and an answer that she continues may have none: she refuses them. */
export function withoutForeignThoughts(body: JsonObject): JsonObject {
  const given = elements(body.messages);
  const end = given.findLastIndex((message) => members(message).role !== 'assistant');
  const isTaken = ({ type, thinking, signature }: JsonObject, at: number) =>
    type !== 'thinking' || (at <= end && signature === signatureOf(String(thinking)));
  const messages = given.map((message, at) => {
    const { content } = members(message);
    return Array.isArray(content)
      ? { ...members(message), content: content.filter((block) => isTaken(members(block), at)) }
      : message;
  });
  return { ...body, messages };
}

/** As a request's body is read before anything is made of it. */
function parsedBody(text: string): JsonObject {
  const reading = { limits: INFERENCE_LIMITS, hasExactIntegers: true };
  return wellFormedJson(runToEnd(readJson(Buffer.from(text), reading))) as JsonObject;
}

type Call = UpstreamCall<unknown>;

/** The call of an attempt. */
function callOf(lane: Lane, served: Served, { chat, given }: Asked, adapted: string[]): Call {
  const { endpoint, provider } = served;
  const commons = {
    tenancy: { accountId: 'a', isByok: true, mayWait: true },
    endpoint,
    provider,
    region: lane.adapter === 'openai' || lane.adapter === 'anthropic' ? null : 'us-east-1',
    credential: credentialOf(lane),
    signal: new AbortController().signal,
    onAdapted: (name: string) => void adapted.push(name),
    onFirstByte: () => undefined,
  };
  if (lane.native !== undefined) {
    return {
      ...commons,
      format: lane.native,
      body: withoutOwn({ ...given, model: lane.model } as unknown as MessagesBody),
    };
  }
  const sent = upstreamRequest({ format: 'chat', chat }, false).chat;
  const reasoning = reasoningOf(
    sent,
    { modelReasoning: lane.reasons ? REASONING : null, endpoint },
    maxAnswerTokens(sent, endpoint),
  );
  return { ...commons, format: 'chat', body: { ...sent, model: lane.model }, reasoning };
}

function credentialOf({ adapter }: Lane): unknown {
  switch (adapter) {
    case 'azure':
      return { kind: 'resource', resourceType: 'catalog', resourceName: 'r', apiKey: 'k', endpointUrl: null };
    case 'google-vertex':
      return { projectId: 'p' };
    case 'amazon-bedrock':
      return { kind: 'bearer', apiKey: 'k', region: 'us-east-1' };
    default:
      return { apiKey: 'k' };
  }
}

function codecOf({ adapter }: Lane, { format, endpoint }: Call): Codec<unknown> {
  const codec = (PROVIDERS[adapter].formats as Formats)[format];
  if (codec === null) throw new Error(`${adapter} speaks no ${format}`);
  return (typeof codec === 'function' ? codec(endpoint) : codec) as never;
}
