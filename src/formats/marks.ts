/**
 * The gateway's own marks: reasoning of one family of models in a member that a client of another format carries back
 * unchanged, such as the `signature` of a thinking block. A mark is signed for the account that it was made for, and
 * nothing of one is read that was not: `docs/adr/0032-one-budget-for-a-request.md`. Never sent to a provider.
 *
 * `bw2.` | 16 bytes of the signature in base64url | `.` | JSON of the details in base64url
 */
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from './json.js';

const PREFIX = 'bw2.';

/** Of versions that did not sign. */
const UNSIGNED_PREFIX = 'bw1.';

/** Limit of a mark, made or read: far more than the signatures and summaries of a turn. */
export const MAX_MARK_CHARACTERS = 256 * 1024;

/** What a mark is signed with is cut to this length. */
export const MARK_SIGNATURE_BYTES = 16;

/** Signs for one account. */
export interface MarkSigner {
  /** `MARK_SIGNATURE_BYTES` that nobody without the account's key can make for these details. */
  signatureOf(payload: string): Buffer;
}

/** A mark that carries nothing: it shows that a thought is not Anthropic's. */
export const EMPTY_MARK = PREFIX;

/** The mark that carries a chat's `reasoning_details`; undefined where it would be too long. */
export function markOf(details: readonly JsonObject[], signer: MarkSigner): string | undefined {
  const payload = Buffer.from(JSON.stringify(details)).toString('base64url');
  const mark = `${PREFIX}${signer.signatureOf(payload).toString('base64url')}.${payload}`;
  return mark.length > MAX_MARK_CHARACTERS ? undefined : mark;
}

/** A detail that stands for what a mark carries until it is opened. */
export interface SealedDetail {
  readonly type: 'reasoning.sealed';
  readonly mark: string;
}

export function sealedDetail(mark: string): SealedDetail {
  return { type: 'reasoning.sealed', mark };
}

export function isSealedDetail(value: object): value is SealedDetail {
  return 'type' in value && value.type === 'reasoning.sealed' && 'mark' in value && isMark(value.mark);
}

/** Whether this is a mark of any version, whoever made it. */
export function isMark(value: unknown): value is string {
  return typeof value === 'string' && (value.startsWith(PREFIX) || value.startsWith(UNSIGNED_PREFIX));
}

/** The JSON of the details that a mark carries; undefined for one that was not made for the account, or was damaged. */
export function detailsJsonIn(mark: string, signer: MarkSigner): string | undefined {
  if (mark.length > MAX_MARK_CHARACTERS || !mark.startsWith(PREFIX)) return undefined;
  const dot = mark.indexOf('.', PREFIX.length);
  const signature = Buffer.from(mark.slice(PREFIX.length, dot), 'base64url');
  const payload = mark.slice(dot + 1);
  const isOurs =
    dot > 0 &&
    signature.length === MARK_SIGNATURE_BYTES &&
    timingSafeEqual(signature, signer.signatureOf(payload));
  return isOurs ? Buffer.from(payload, 'base64url').toString() : undefined;
}
