import { compareDecimals, formatDecimal, parseDecimal } from '../../base/money.js';
import { invalid } from '../../base/problem.js';

/** The options of `byway provider add`, as commander reads them. */
export interface AddOptions {
  readonly url: string;
  readonly adapter?: string;
  readonly name?: string;
  /** False with `--no-key`. */
  readonly key?: boolean;
  readonly keyFromStdin?: boolean;
  readonly models?: string;
  readonly header?: readonly string[];
  readonly price?: string;
  readonly free?: boolean;
}

/** USD per token of prompts and of answers. */
export interface TokenPrices {
  readonly prompt: string;
  readonly completion: string;
}

export const FREE: TokenPrices = { prompt: '0', completion: '0' };

const ADAPTERS = ['openai', 'anthropic'] as const;
export type AddedAdapter = (typeof ADAPTERS)[number];

/** Throws a 400 Problem where two options exclude each other. */
export function checkTogether({ key, keyFromStdin, price, free }: AddOptions): void {
  if (key === false && keyFromStdin) throw refused('--key-from-stdin', 'excludes --no-key');
  if (price !== undefined && free) throw refused('--price', 'excludes --free');
}

export function adapterOf({ adapter = 'openai' }: AddOptions): AddedAdapter {
  const found = ADAPTERS.find((one) => one === adapter);
  if (found !== undefined) return found;
  throw refused(
    '--adapter',
    `must be one of ${ADAPTERS.join(', ')}; describe others in a file: catalog import --merge`,
  );
}

/** The names that are wanted; null = all. */
export function wantedModels({ models = 'all' }: AddOptions): readonly string[] | null {
  const names = [...new Set(models.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0) throw refused('--models', 'must be "all", or names with commas between');
  return names.length === 1 && names[0] === 'all' ? null : names;
}

/** By name; the catalogue's own rules judge them. A header without a colon is refused, and not repeated. */
export function hostHeadersOf({ header = [] }: AddOptions): Readonly<Record<string, string>> {
  const entries = header.map((line): [string, string] => {
    const colon = line.indexOf(':');
    if (colon < 1) throw refused('--header', 'must be "Name: value"');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) throw refused('--header', 'names one header twice');
  return Object.fromEntries(entries);
}

/** As models.dev's: beyond it, somebody has mistaken the unit. */
const MAX_USD_PER_MILLION = { digits: 10_000n, scale: 0 };

/** undefined where no price is given. */
export function pricesOf({ price, free }: AddOptions): TokenPrices | undefined {
  if (free) return FREE;
  if (price === undefined) return undefined;
  const parts = price.split(',').map((part) => perToken(part.trim()));
  const [prompt, completion] = parts;
  if (parts.length !== 2 || prompt === undefined || completion === undefined) {
    throw refused(
      '--price',
      'must be two prices in USD per million tokens, of prompts and of answers: 0.15,0.60',
    );
  }
  return { prompt, completion };
}

function perToken(perMillion: string): string | undefined {
  const decimal = perMillion.length > 32 ? undefined : parseDecimal(perMillion);
  if (decimal === undefined || decimal.digits < 0n) return undefined;
  if (compareDecimals(decimal, MAX_USD_PER_MILLION) > 0) return undefined;
  return formatDecimal({ digits: decimal.digits, scale: decimal.scale + 6 });
}

function refused(field: string, message: string) {
  return invalid([{ field, rule: 'option', message }]);
}
