import type { FastifyReply } from 'fastify';
import type { MessageFormat } from './messages.js';

/** One of the RPC protocols, as far as unary calls differ in it: where things stand in a request and in an answer. */
export interface UnaryProtocol {
  /** Names of headers, in lower case. */
  readonly headers: {
    readonly timeout: string;
    readonly encoding: string;
    readonly acceptEncoding: string;
  };
  /** Content types of answers. */
  readonly contentTypes: Readonly<Record<MessageFormat, string>>;
  /** How long the call may take by the header's value. Throws a 400 Problem for a value that says nothing. */
  timeoutMs(value: string): number;
  /** The one message of the request. Throws a protocol error for a body that does not hold exactly one. */
  unpack(body: Buffer): PackedMessage;
  /** Answers. */
  send(reply: FastifyReply, answer: UnaryAnswer): FastifyReply;
}

/** A serialised message as it came. */
export interface PackedMessage {
  readonly bytes: Uint8Array;
  /** Whether it says of itself that it is compressed; undefined where the request's header alone says so. */
  readonly isEncoded: boolean | undefined;
}

/** What a call has come to. */
export interface UnaryAnswer {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** How the bytes are compressed; null = not at all. */
  readonly encoding: string | null;
  readonly header: Headers;
  readonly trailer: Headers;
}
