/** Clients that open streams and keep them open, as a hostile account does. */
import http from 'node:http';
import { onTestFinished } from 'vitest';
import type { TestGateway } from '../../support/gateway.js';

const HELLO = [{ role: 'user', content: 'Hello there' }];

/** Streams that are open until the test ends, or until they are closed. */
export interface OpenStreams {
  /** Those whose answer has begun. */
  readonly begun: number;
  /** Those that were answered with another status than 200. */
  readonly refused: readonly number[];
  close(): void;
}

/** Asks for so many streams at once; none is read further than its head. */
export function openStreams(
  { rest }: Pick<TestGateway, 'rest'>,
  key: string,
  count: number,
  body: object,
): OpenStreams {
  const agent = new http.Agent({ keepAlive: false, maxSockets: Infinity });
  let begun = 0;
  const refused: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const request = http.request(`${rest}/chat/completions`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    request.on('response', (response) => {
      if (response.statusCode === 200) begun += 1;
      else refused.push(response.statusCode ?? 0);
      response.on('error', () => undefined);
      response.resume();
    });
    request.end(JSON.stringify({ messages: HELLO, stream: true, ...body }));
  }
  const close = () => agent.destroy();
  onTestFinished(close);
  return {
    get begun() {
      return begun;
    },
    refused,
    close,
  };
}
