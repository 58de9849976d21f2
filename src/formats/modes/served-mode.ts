/** In which mode a request was served: as its answer says, else as it was sent: `docs/money.md#price-modes`. */
import { type ModeWords, modeOf, modeWord, namedAsIn } from '../../catalog/modes.js';
import { type Endpoint, type Format, MODE_KINDS, type ModeKind, type Provider } from '../../catalog/types.js';
import { type JsonObject, textOf } from '../json.js';
import { tiersAt } from './host-tiers.js';
import type { AskedMode } from './request-modes.js';

/** Words of an answer, as its host wrote them. */
export type GivenMode = Readonly<Partial<Record<ModeKind, string>>>;

export const NOTHING_GIVEN: GivenMode = {};

/** The words of an answer; undefined without any. Nulls and what is no text say nothing. */
export function givenIn(said: JsonObject): GivenMode | undefined {
  let given: Partial<Record<ModeKind, string>> | undefined;
  for (const kind of MODE_KINDS) {
    const word = textOf(said[kind])?.trim();
    if (word === undefined || word === '') continue;
    given ??= {};
    given[kind] = word;
  }
  return given;
}

/** Longer words are cut, once they are redacted; none is known of more than 25 characters. */
const MAX_WORD = 64;

export interface ServedMode {
  /** As given, else as sent. */
  readonly told: GivenMode;
  /** What is billed. */
  readonly mode: ModeWords;
}

/** How the endpoint was called. */
interface CalledAs {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  readonly format: Format;
}

export function servedMode(
  given: GivenMode,
  { words }: Pick<AskedMode, 'words'>,
  { endpoint, provider, format }: CalledAs,
): ServedMode {
  const told = given === NOTHING_GIVEN ? words : { ...words, ...cut(given) };
  const tier = given.service_tier;
  const isCommitted =
    tier !== undefined &&
    modeWord(tier) === 'priority' &&
    tiersAt(endpoint, provider, format)?.sellsAhead === true;
  const mode = modeOf(isCommitted ? { ...told, service_tier: undefined } : told);
  return { told, mode: namedAsIn(endpoint.pricing.modes, mode) };
}

function cut(given: GivenMode): GivenMode {
  return Object.fromEntries(Object.entries(given).map(([kind, word]) => [kind, word.slice(0, MAX_WORD)]));
}
