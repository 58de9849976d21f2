import http from 'node:http';
import type { ServingProcess } from '../serving.js';

/** What clients saw while something happened to the database. */
export interface Seen {
  readonly sent: number;
  /** Ids of the chats that were answered to the last byte. */
  readonly acknowledged: readonly string[];
  /** Chats that were answered 503 `database_unavailable`. */
  readonly refused: number;
  /** Any other answer: there should be none. */
  readonly others: readonly string[];
  /** From the first to the last 503, in milliseconds. */
  readonly refusedForMs: number;
  /** `performance.now()` of the last 503; 0 = none. */
  readonly lastRefusedAt: number;
  /** Whether `/readyz` was 503 meanwhile. */
  readonly wasUnready: boolean;
}

/** Chats at a steady rate, however long they take, until it is stopped. */
export interface SteadyLoad {
  stop(): Promise<Seen>;
}

const READY_INTERVAL_MS = 100;

export function loadSteadily(serving: ServingProcess, apiKey: string, perSecond: number): SteadyLoad {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2_000 });
  const open = new Set<Promise<void>>();
  const acknowledged: string[] = [];
  const others: string[] = [];
  const refusedAt: number[] = [];
  const unreadyAt: number[] = [];
  const begunAt = performance.now();
  let sent = 0;
  const chat = async () => {
    const { status, text, id } = await post(agent, serving, apiKey);
    if (status === 200) acknowledged.push(id);
    else if (status === 503 && text.includes('database_unavailable')) refusedAt.push(performance.now());
    else others.push(`${status} ${text.slice(0, 300)}`);
  };
  const keep = (work: Promise<void>) => {
    open.add(work);
    void work.finally(() => open.delete(work));
  };
  // Timers come late on a busy machine: what is due is sent.
  const sending = setInterval(() => {
    const due = Math.floor(((performance.now() - begunAt) / 1_000) * perSecond);
    for (; sent < due; sent++) keep(chat());
  }, 5);
  const readyUrl = serving.rest.replace('/api/v1', '/readyz');
  const looking = setInterval(async () => {
    const answer = await fetch(readyUrl).catch(() => undefined);
    if (answer?.status === 503) unreadyAt.push(performance.now());
  }, READY_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(sending);
      await Promise.all(open);
      clearInterval(looking);
      agent.destroy();
      const [first = 0, last = 0] = [refusedAt[0], refusedAt.at(-1)];
      return {
        sent,
        acknowledged,
        refused: refusedAt.length,
        others,
        refusedForMs: last - first,
        lastRefusedAt: last,
        wasUnready: unreadyAt.length > 0,
      };
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly id: string;
}

function post(agent: http.Agent, serving: ServingProcess, apiKey: string): Promise<Answer> {
  const body = JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const request = http.request(
      `${serving.rest}/chat/completions`,
      { method: 'POST', agent, headers },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(pieces).toString(),
            id: String(response.headers['x-generation-id']),
          }),
        );
      },
    );
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server had closed the idle connection: clients send again (https://nodejs.org/api/http.html#requestreusedsocket).
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(post(agent, serving, apiKey));
      else resolve({ status: 0, text: String(error), id: '' });
    });
    request.end(body);
  });
}
