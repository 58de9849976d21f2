import type { FastifyReply } from 'fastify';

/** What differs between the RPC protocols in unary calls: where things are in a request and in an answer. */
export interface UnaryProtocol {
  /** Names of headers, in lower case. */
  readonly headers: {
    readonly timeout: string;
    readonly encoding: string;
    readonly acceptEncoding: string;
  };
  /** Content types of answers. */
  readonly contentTypes: Readonly<Record<MessageFormat, string>>;
  /** The timeout that the header's value names. Throws a 400 Problem for an invalid one. */
  timeoutMs(value: string): number;
  /** The one message of the request. Throws a protocol error for a body that does not hold exactly one. */
  unpack(body: Buffer): PackedMessage;
  /** Answers. */
  send(reply: FastifyReply, answer: UnaryAnswer): FastifyReply;
}

/** A serialised message as received. */
export interface PackedMessage {
  readonly bytes: Uint8Array;
  /** Whether its envelope flags it as compressed; undefined where only the request's header tells. */
  readonly isEncoded: boolean | undefined;
}

export interface UnaryAnswer {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The encoding of the bytes; null = not compressed. */
  readonly encoding: string | null;
  readonly header: Headers;
  readonly trailer: Headers;
}

/** How messages are serialised. */
export type MessageFormat = 'protobuf' | 'json';
