import { createHash } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers with the message, or with 304 when the caller has it already. */
export type Revalidation = (message: Message, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** A serialised answer. */
export interface Rendered {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly contentType: string;
}

/** Content type of REST's JSON answers. */
export const JSON_ANSWER = 'application/json; charset=utf-8';

/**
 * Answers a listing that changes rarely with a strong ETag. A message object that a service returns again, unchanged,
 * is serialised once.
 */
export function revalidation(
  serialize: (message: Message) => string | Uint8Array,
  contentType: string,
): Revalidation {
  const rendered = new WeakMap<Message, Rendered>();
  return (message, request, reply) => {
    let answer = rendered.get(message);
    if (answer === undefined) {
      answer = render(serialize(message), contentType);
      rendered.set(message, answer);
    }
    return sendRendered(answer, 'private, no-cache', request, reply);
  };
}

/** Answers with what was rendered, or with 304 when the caller has it already. */
export function sendRendered(
  { bytes, etag, contentType }: Rendered,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('ETag', etag).header('Cache-Control', cacheControl);
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.header('Content-Type', contentType).send(bytes);
}

/** The text or the bytes as an answer with a strong ETag. */
export function render(content: string | Uint8Array, contentType: string): Rendered {
  const bytes = Buffer.from(content);
  return { bytes, contentType, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === etag || candidate === `W/${etag}`;
  });
}
