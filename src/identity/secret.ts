import { type Ids, sha256Hex } from '../base/ids.js';

export type SecretKind = 'api_key' | 'management_key' | 'client' | 'operator_key';

/** 64 lower-case hexadecimal digits follow. */
const PREFIXES: Readonly<Record<SecretKind, string>> = {
  api_key: 'bw-v1-',
  management_key: 'bw-mgmt-',
  client: 'bw-client-',
  operator_key: 'bw-op-',
};

const RANDOM_BYTES = 32;
const KINDS: ReadonlyMap<string, SecretKind> = new Map([
  ['v1', 'api_key'],
  ['mgmt', 'management_key'],
  ['client', 'client'],
  ['op', 'operator_key'],
]);
const SECRET = /^bw-([a-z0-9]{1,6})-[0-9a-f]{64}$/;

/** The text is shown once and not stored; `hash` and `label` are stored. */
export interface MintedSecret {
  readonly text: string;
  /** SHA-256 of the whole text, lower-case hexadecimal. */
  readonly hash: string;
  /** First 9 and last 3 characters. */
  readonly label: string;
}

/** Made of 32 random bytes. */
export function mintSecret(kind: SecretKind, ids: Ids): MintedSecret {
  return secretOf(`${PREFIXES[kind]}${ids.hex(RANDOM_BYTES)}`);
}

/** For a secret that was minted before. */
export function secretOf(text: string): MintedSecret {
  return { text, hash: sha256Hex(text), label: `${text.slice(0, 9)}...${text.slice(-3)}` };
}

export interface ParsedSecret {
  readonly kind: SecretKind;
  readonly hash: string;
}

/** undefined when the text does not have the form of a secret. */
export function parseSecret(text: string): ParsedSecret | undefined {
  const kind = KINDS.get(SECRET.exec(text)?.[1] ?? '');
  return kind && { kind, hash: sha256Hex(text) };
}
