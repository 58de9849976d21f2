/**
 * Marks carry reasoning of one family of models through a client of another format, in a member that the client sends
 * back unchanged, such as the `signature` of a thinking block. A mark is signed for one account and read for no other:
 * `docs/adr/0032-one-budget-for-a-request.md`. Marks are never sent to a provider.
 *
 * `bw2.` | 16 bytes of the signature in base64url | `.` | JSON of the details in base64url
 */
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from './json.js';

const PREFIX = 'bw2.';

/** Prefix of earlier versions, which did not sign. */
const UNSIGNED_PREFIX = 'bw1.';

/** Maximum length of a mark, made or read: far more than the signatures and summaries of one turn need. */
export const MAX_MARK_CHARACTERS = 256 * 1024;

/** Signatures are cut to this length. */
export const MARK_SIGNATURE_BYTES = 16;

/** Signs for one account. */
export interface MarkSigner {
  /** Returns `MARK_SIGNATURE_BYTES` that can't be made for this payload without the account's key. */
  signatureOf(payload: string): Buffer;
}

/** A mark without content: it only shows that a thought is not Anthropic's. */
export const EMPTY_MARK = PREFIX;

/** The mark that carries a chat's `reasoning_details`; undefined if it would be too long. */
export function markOf(details: readonly JsonObject[], signer: MarkSigner): string | undefined {
  const payload = Buffer.from(JSON.stringify(details)).toString('base64url');
  const mark = `${PREFIX}${signer.signatureOf(payload).toString('base64url')}.${payload}`;
  return mark.length > MAX_MARK_CHARACTERS ? undefined : mark;
}

/** Stands for the details in a mark until the mark is opened. */
export interface SealedDetail {
  readonly type: 'reasoning.sealed';
  readonly mark: string;
}

/** What stands for the details in a mark; nothing for one that is too long to be read. */
export function closedDetails(mark: string): readonly JsonObject[] {
  const detail: SealedDetail = { type: 'reasoning.sealed', mark };
  return mark.length > MAX_MARK_CHARACTERS ? [] : [{ ...detail }];
}

export function isSealedDetail(value: object): value is SealedDetail {
  return 'type' in value && value.type === 'reasoning.sealed' && 'mark' in value && isMark(value.mark);
}

/** Whether the value is a mark of any version and any account. */
export function isMark(value: unknown): value is string {
  return typeof value === 'string' && (value.startsWith(PREFIX) || value.startsWith(UNSIGNED_PREFIX));
}

/** The JSON of the details that a mark carries; undefined if it was damaged, or made for another account. */
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
