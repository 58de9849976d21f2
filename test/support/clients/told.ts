/** Reads the errors of answers that have ended early, as a client of each API does. */
import { expect } from 'vitest';
import type { Came, Transport } from './calls.js';

/** The error that the answer ends with, as a client of the API reads it. */
export function toldBy(
  transport: Transport,
  isStreamed: boolean,
  { status, headers, trailers, text, isWhole }: Came,
) {
  const events = text.split('\n\n').filter((event) => event !== '');
  const last = events.at(-1) ?? '';
  expect([transport, isWhole]).toEqual([transport, true]);
  switch (transport) {
    case 'REST': {
      expect(text).not.toContain('[DONE]');
      const told = JSON.parse(isStreamed ? last.slice('data: '.length) : text);
      if (isStreamed) expect(told.choices).toMatchObject([{ finish_reason: 'error' }]);
      else expect(headers['retry-after']).toBe('5');
      const { code, message, metadata } = told.error;
      return { status, code, message, reason: metadata.reason };
    }
    case 'Messages': {
      if (isStreamed) expect(last).toMatch(/^event: error\n/);
      else expect(headers['retry-after']).toBe('5');
      const { type, error } = JSON.parse(isStreamed ? last.slice(last.indexOf('{')) : text);
      expect(type).toBe('error');
      return { status, code: error.type, message: error.message, reason: error.metadata.reason };
    }
    case 'Responses': {
      const error = isStreamed ? responsesErrorIn(events) : JSON.parse(text).error;
      if (!isStreamed) expect(headers['retry-after']).toBe('5');
      return { status, code: error.code, message: error.message, reason: error.metadata.reason };
    }
    case 'Connect': {
      const json = isStreamed ? text.slice(text.lastIndexOf('{"error"')) : text;
      const error = isStreamed ? JSON.parse(json).error : JSON.parse(json);
      return { status, code: error.code, message: error.message, reason: error.details[0].debug.reason };
    }
    case 'gRPC': {
      const ends = trailers['grpc-status'] === undefined ? headers : trailers;
      return {
        status,
        code: ends['grpc-status'],
        message: ends['grpc-message'],
        reason: reasonIn(ends['grpc-status-details-bin']),
      };
    }
    case 'gRPC-Web': {
      const at = (name: string) => new RegExp(`${name}: (.*)\r\n`).exec(text)?.[1] ?? headers[name];
      return {
        status,
        code: at('grpc-status'),
        message: decodeURIComponent(String(at('grpc-message'))),
        reason: reasonIn(at('grpc-status-details-bin')),
      };
    }
  }
}

/** Its streams end with the error, and with the response that has failed. */
function responsesErrorIn(events: readonly string[]) {
  const [told, failed] = events.slice(-2).map((event) => JSON.parse(event.slice(event.indexOf('{'))));
  expect([told.type, failed.type]).toEqual(['error', 'response.failed']);
  expect(failed.response.error).toEqual({ code: told.code, message: told.message });
  return told.error;
}

function reasonIn(details: unknown): string {
  const text = Buffer.from(String(details), 'base64').toString('latin1');
  return /shutting_down/.exec(text)?.[0] ?? text;
}
