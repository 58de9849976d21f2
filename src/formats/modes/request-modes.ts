/** In which mode a request asks to be served, in its host's words: `docs/money.md#price-modes`. */
import { formatAt } from '../../catalog/formats.js';
import { asksForGeo, BASE_MODE, type ModeWords, modeOf, modeWord, namedAsIn } from '../../catalog/modes.js';
import {
  type Endpoint,
  type Format,
  MODE_KINDS,
  type ModeKind,
  type NativeFormat,
  type Provider,
} from '../../catalog/types.js';
import { type JsonObject, members } from '../json.js';
import { AS_IT_CAME, asksForNoTier, type HostTiers, hostTier, tiersAt } from './host-tiers.js';

type Host = Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>;

export interface AskedMode {
  readonly mode: ModeWords;
  /** All that the host is told, words of the base too. */
  readonly words: Readonly<Partial<Record<ModeKind, string>>>;
  /** Of these the host may choose any word, since it is told `auto` and has no known word for the base. */
  readonly open: readonly ModeKind[];
  /** Members that ask for something for which the host has no word. */
  readonly leftOut: readonly string[];
}

const NOTHING: readonly never[] = [];
const NO_WORDS: AskedMode['words'] = {};

export const ASKS_BASE: AskedMode = { mode: BASE_MODE, words: NO_WORDS, open: NOTHING, leftOut: NOTHING };

/** A request that is a chat, or is read as one: `native` is what it was sent as. */
export class RequestModes {
  readonly #chat: JsonObject;
  readonly #native: { readonly format: NativeFormat; readonly body: JsonObject } | undefined;

  constructor(chat: JsonObject, native?: { readonly format: NativeFormat; readonly body: JsonObject }) {
    this.#chat = chat;
    this.#native = native;
  }

  at(endpoint: Endpoint, provider: Provider): AskedMode {
    const native = this.#native;
    if (native === undefined) return askedBy('chat', this.#chat, endpoint, provider);
    const format = formatAt(native.format, endpoint, provider);
    return askedBy(format, format === 'chat' ? this.#chat : native.body, endpoint, provider);
  }
}

/** The mode that a body asks for at a host, in words of the host's or of any other API. */
export function askedBy(format: Format, body: JsonObject, endpoint: Endpoint, provider: Host): AskedMode {
  if (!hasMode(body)) return ASKS_BASE;
  const tiers = tiersAt(endpoint, provider, format);
  const said = saidIn(format, body, tiers);
  const open = tiers === AS_IT_CAME ? MODE_KINDS.filter((kind) => isAuto(said.words[kind])) : NOTHING;
  const mode = namedAsIn(endpoint.pricing.modes, modeOf(said.words));
  return { mode, words: textsOf(said.words), open, leftOut: said.leftOut };
}

/** A longer word is no host's. */
const MAX_WORD = 64;

function textsOf(said: Said['words']): AskedMode['words'] {
  const texts = MODE_KINDS.flatMap((kind) => {
    const word = said[kind];
    return typeof word === 'string' && word !== '' ? [[kind, word.slice(0, MAX_WORD)] as const] : [];
  });
  return texts.length === 0 ? NO_WORDS : Object.fromEntries(texts);
}

const MEMBERS = [...MODE_KINDS, 'serviceTier'] as const;

function hasMode(body: JsonObject): boolean {
  return MEMBERS.some((name) => body[name] !== undefined && body[name] !== null);
}

function isAuto(value: unknown): boolean {
  return typeof value === 'string' && modeWord(value) === 'auto';
}

interface Said {
  readonly words: Readonly<Partial<Record<ModeKind, unknown>>>;
  readonly leftOut: readonly string[];
}

function saidIn(format: Format, body: JsonObject, tiers: HostTiers | null): Said {
  const { service_tier, speed, inference_geo } = body;
  const isPassed = format === 'messages' && tiers?.sellsAhead === true && tiers.base !== null;
  const { tier, leftOut } = isPassed
    ? { tier: nativeTier(service_tier), leftOut: NOTHING }
    : tierIn(format, body, tiers);
  // In chats a speed may be a tier.
  const isSpeedLost = format === 'messages' && !tiers?.takesSpeeds && !asksForNoTier(speed);
  const lost = [
    ...(isSpeedLost ? ['speed'] : []),
    ...(!tiers?.takesGeos && asksForGeo(inference_geo) ? ['inference_geo'] : []),
  ];
  return {
    words: {
      service_tier: tier,
      ...(tiers?.takesSpeeds && { speed }),
      ...(tiers?.takesGeos && { inference_geo }),
    },
    leftOut: lost.length === 0 ? leftOut : [...leftOut, ...lost],
  };
}

/** As it came, to hosts that have Anthropic's tiers. */
function nativeTier(tier: unknown): unknown {
  return typeof tier === 'string' && modeWord(tier) === 'priority' ? 'auto' : tier;
}

/** The host's word for the tier that a body asks for; at hosts of chats without speeds `speed: fast` asks for one too. */
function tierIn(
  format: Format,
  { service_tier, speed, serviceTier }: JsonObject,
  tiers: HostTiers | null,
): { readonly tier: unknown; readonly leftOut: readonly string[] } {
  const own = format === 'chat' && tiers?.hasOwnMember ? members(serviceTier).type : undefined;
  if (own !== undefined) return { tier: own, leftOut: NOTHING };
  const isOfSpeed =
    format === 'chat' && !tiers?.takesSpeeds && asksForNoTier(service_tier) && !asksForNoTier(speed);
  const asked = isOfSpeed ? speed : service_tier;
  const tier = hostTier(asked, tiers);
  const isLost = tier === null && !asksForNoTier(asked);
  return { tier, leftOut: isLost ? [isOfSpeed ? 'speed' : 'service_tier'] : NOTHING };
}

/** A chat with its tier in the host's words, or without it. The same object where nothing has to be changed. */
export function chatInHostWords<Chat extends JsonObject>(
  chat: Chat,
  endpoint: Endpoint,
  provider: Host,
): { readonly chat: Chat; readonly leftOut: readonly string[] } {
  if (!hasMode(chat)) return { chat, leftOut: NOTHING };
  const tiers = tiersAt(endpoint, provider, 'chat');
  if (tiers === AS_IT_CAME) return { chat, leftOut: NOTHING };
  const { tier, leftOut } = tierIn('chat', chat, tiers);
  const { service_tier, speed, ...others } = chat;
  const isOwn = tiers?.hasOwnMember === true && members(chat.serviceTier).type !== undefined;
  const isSaid = !isOwn && tier !== null && tier !== undefined;
  const keepsSpeed = tiers?.takesSpeeds && speed !== undefined;
  const said = {
    ...others,
    ...(isSaid && { service_tier: tier }),
    ...(keepsSpeed && { speed }),
  };
  // Only members that every chat may be without are taken away.
  return { chat: said as unknown as Chat, leftOut };
}

/** The body with the host's words for the base in place of `auto`, which lets the owner of a credential choose. */
export function withoutAuto<Body extends JsonObject>(
  format: Format,
  body: Body,
  endpoint: Endpoint,
  provider: Host,
): Body {
  if (!MODE_KINDS.some((kind) => isAuto(body[kind]))) return body;
  const tiers = tiersAt(endpoint, provider, format);
  if (tiers === AS_IT_CAME) return body;
  const base: Readonly<Record<ModeKind, unknown>> = {
    service_tier: tiers?.base,
    speed: 'standard',
    inference_geo: 'global',
  };
  const said = Object.entries(body).flatMap(([name, value]) => {
    const kind = MODE_KINDS.find((one) => one === name);
    if (kind === undefined || !isAuto(value)) return [[name, value] as const];
    return base[kind] === null || base[kind] === undefined ? [] : [[name, base[kind]] as const];
  });
  return Object.fromEntries(said) as Body;
}
