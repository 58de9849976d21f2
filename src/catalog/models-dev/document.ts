import { isDate, type JsonReader } from '../input/json-reader.js';
import { CatalogViolations } from '../input/violation-list.js';
import { MODE_WORD, type ModeWords, modeOf } from '../modes.js';

/** The members of models.dev files that the catalogue uses. Missing members are null. */
export interface DevProvider {
  readonly id: string;
  readonly name: string;
  /** The SDK package, which determines the protocol. */
  readonly npm: string;
  /** Base URL; may contain `${NAME}` placeholders. */
  readonly api: string | null;
}

/** A model at one provider. */
export interface DevModel {
  /** The provider's own id. */
  readonly id: string;
  readonly name: string;
  readonly toolCall: boolean;
  readonly structuredOutput: boolean;
  readonly temperature: boolean;
  readonly reasoning: boolean;
  readonly reasoningOptions: readonly DevReasoningOption[];
  readonly status: string | null;
  /** YYYY-MM-DD. */
  readonly releaseDate: string;
  readonly knowledge: string | null;
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** Tokens; null where the file has 0. */
  readonly contextLength: number | null;
  readonly maxOutput: number | null;
  readonly cost: DevCost | null;
  readonly modes: readonly DevMode[];
  /** Where the model's protocol differs from its provider's. */
  readonly override: DevOverride | null;
}

interface DevReasoningOption {
  readonly type: string;
  readonly values: readonly unknown[];
}

interface DevOverride {
  readonly npm: string | null;
  readonly api: string | null;
  readonly shape: string | null;
}

/**
 * USD per million tokens: ten times what the dearest models ask for. A price beyond it is taken for a mistake of units, by
 * which each request would cost a thousand times too much.
 */
const MAX_USD_PER_MILLION = 10_000;

/** Far more than any model has: tiers of prices, options of reasoning, modalities. */
const MAX_LISTED = 100;

/** Decimal strings in USD per million tokens, as in the file. */
interface DevPrices {
  readonly reasoning: string | null;
  readonly cacheRead: string | null;
  readonly cacheWrite: string | null;
  readonly inputAudio: string | null;
  readonly outputAudio: string | null;
}

export interface DevCost extends DevPrices {
  readonly input: string;
  readonly output: string;
  /** Prices above a number of prompt tokens, smallest first. */
  readonly tiers: readonly DevTier[];
}

/** Prices for prompts of more than `size` tokens; null = the base price. */
export interface DevTier extends DevPrices {
  readonly input: string | null;
  readonly output: string | null;
  readonly size: number;
}

/** What the model costs where a request has these words. */
export interface DevMode extends DevPrices {
  readonly words: ModeWords;
  readonly input: string;
  readonly output: string;
}

/** Reads one provider without its models; members that the catalogue does not use are ignored. */
export function readDevProvider(at: JsonReader): DevProvider {
  const member = at.openObject();
  return {
    id: member('id').text(),
    name: member('name').text(),
    npm: member('npm').text(),
    api: member('api').orNull((text) => text.text()),
  };
}

export function readDevModel(at: JsonReader): DevModel {
  const member = at.openObject();
  const modalities = member('modalities').openObject();
  const limit = member('limit').openObject();
  const flag = (name: string) => member(name).or(false, (value) => value.boolean());
  return {
    id: member('id').text(),
    name: member('name').text(),
    toolCall: flag('tool_call'),
    structuredOutput: flag('structured_output'),
    temperature: flag('temperature'),
    reasoning: flag('reasoning'),
    reasoningOptions: member('reasoning_options').or([], (list) =>
      list.list(readReasoningOption, MAX_LISTED),
    ),
    status: member('status').orNull((word) => word.text()),
    releaseDate: readDate(member('release_date')),
    knowledge: member('knowledge').orNull(readVagueDate),
    input: modalities('input').list((word) => word.text(), MAX_LISTED),
    output: modalities('output').list((word) => word.text(), MAX_LISTED),
    contextLength: limit('context').integer(0) || null,
    maxOutput: limit('output').integer(0) || null,
    cost: member('cost').orNull(readCost),
    modes: readModes(member('experimental')),
    override: member('provider').orNull(readOverride),
  };
}

function readReasoningOption(at: JsonReader): DevReasoningOption {
  const member = at.openObject();
  return {
    type: member('type').text(),
    values: member('values').or([], (list) => list.list((value) => value.value, MAX_LISTED)),
  };
}

function readOverride(at: JsonReader): DevOverride {
  const member = at.openObject();
  const text = (name: string) => member(name).orNull((value) => value.text());
  return { npm: text('npm'), api: text('api'), shape: text('shape') };
}

function readCost(at: JsonReader): DevCost {
  const member = at.openObject();
  const tiers = member('tiers').or([], (list) => list.list(readTier, MAX_LISTED));
  return {
    ...readPrices(at),
    input: member('input').price(MAX_USD_PER_MILLION),
    output: member('output').price(MAX_USD_PER_MILLION),
    tiers: tiers.toSorted((a, b) => a.size - b.size),
  };
}

/** Modes that cannot be billed are left out, not the model: nobody is sent where a mode has no price. */
function readModes(experimental: JsonReader): DevMode[] {
  const at = experimental.collecting(new CatalogViolations());
  const modes = at
    .openObject()('modes')
    .or([], (all) => all.entries());
  return modes.slice(0, MAX_LISTED).flatMap(([, one]) => {
    const violations = new CatalogViolations();
    const mode = readMode(one.collecting(violations));
    return mode === null || !violations.isEmpty ? [] : [mode];
  });
}

function readMode(at: JsonReader): DevMode | null {
  const member = at.openObject();
  const body = member('provider').openObject()('body').entries();
  const words = modeOf(Object.fromEntries(body.map(([name, { value }]) => [name, value])));
  // Other members of the body may be what the price is for.
  const isKnown = body.length > 0 && body.every(([name]) => Object.hasOwn(words, name));
  if (!isKnown || !Object.values(words).every((word) => MODE_WORD.test(word))) return null;
  const cost = member('cost');
  const price = cost.openObject();
  return {
    ...readPrices(cost),
    words,
    input: price('input').price(MAX_USD_PER_MILLION),
    output: price('output').price(MAX_USD_PER_MILLION),
  };
}

function readTier(at: JsonReader): DevTier {
  const member = at.openObject();
  return {
    ...readPrices(at),
    input: member('input').orNull((price) => price.price(MAX_USD_PER_MILLION)),
    output: member('output').orNull((price) => price.price(MAX_USD_PER_MILLION)),
    size: member('tier').openObject()('size').integer(0),
  };
}

function readPrices(at: JsonReader): DevPrices {
  const member = at.openObject();
  const price = (name: string) => member(name).orNull((value) => value.price(MAX_USD_PER_MILLION));
  return {
    reasoning: price('reasoning'),
    cacheRead: price('cache_read'),
    cacheWrite: price('cache_write'),
    inputAudio: price('input_audio'),
    outputAudio: price('output_audio'),
  };
}

/** A full date; YYYY-MM means its first day. */
function readDate(at: JsonReader): string {
  return at.with(fullDate(at.value)).date();
}

/** As `readDate`, but null for an invalid date, since files contain dates that do not exist. */
function readVagueDate(at: JsonReader): string | null {
  const date = fullDate(at.text());
  return isDate(date) ? date : null;
}

function fullDate(value: unknown): unknown {
  return typeof value === 'string' && /^\d{4}-\d{2}$/.test(value) ? `${value}-01` : value;
}
