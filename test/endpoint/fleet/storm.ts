import http from 'node:http';

/** An answer that was received to its last byte. */
export interface Whole {
  readonly generationId: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** USD. */
  readonly cost: number;
  readonly isByok: boolean;
  /** USD; null on shared capacity. */
  readonly upstreamCost: number | null;
}

/** The outcome of a storm of requests. */
export interface Storm {
  readonly whole: readonly Whole[];
  /** Generations whose header was received, complete answers included. */
  readonly begun: readonly string[];
  /** Requests that were answered with an error. */
  readonly refused: readonly string[];
}

/** Options of a storm. `afterAnswer` gets the number of finished requests. */
export interface StormOptions {
  readonly requests: number;
  readonly concurrency: number;
  readonly models: readonly string[];
  afterAnswer?(count: number): void;
}

type Outcome =
  | { readonly kind: 'whole'; readonly whole: Whole }
  | { readonly kind: 'begun'; readonly generationId: string }
  | { readonly kind: 'refused'; readonly text: string }
  /** No header was received. */
  | { readonly kind: 'nothing' };

/** Sends chats, streamed and not, and disconnects from one in ten; ends when the server stops. */
export async function storm(rest: string, secret: string, options: StormOptions): Promise<Storm> {
  const outcomes: Outcome[] = [];
  let sent = 0;
  const work = async () => {
    while (sent < options.requests) {
      const index = sent++;
      const model = options.models[index % options.models.length] ?? '';
      const endUser = index % 2 === 0 ? `user ${index % END_USERS}` : undefined;
      const one = { model, stream: index % 3 !== 0, hangsUp: index % 10 === 9, endUser };
      const outcome = await chat(rest, secret, one);
      outcomes.push(outcome);
      options.afterAnswer?.(outcomes.length);
      if (outcome.kind === 'nothing' && index % 10 !== 9) return;
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return {
    whole: outcomes.flatMap((outcome) => (outcome.kind === 'whole' ? [outcome.whole] : [])),
    begun: outcomes.flatMap(generationIds),
    refused: outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.text] : [])),
  };
}

function generationIds(outcome: Outcome): string[] {
  if (outcome.kind === 'whole') return [outcome.whole.generationId];
  return outcome.kind === 'begun' ? [outcome.generationId] : [];
}

interface Sent {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client disconnects at the first byte. */
  readonly hangsUp: boolean;
  readonly endUser: string | undefined;
}

/** Half of all requests name one. */
const END_USERS = 8;

function chat(rest: string, secret: string, { model, stream, hangsUp, endUser }: Sent): Promise<Outcome> {
  const content = 'Say something that takes a few words';
  const body = JSON.stringify({ model, stream, user: endUser, messages: [{ role: 'user', content }] });
  const { hostname, port, pathname } = new URL(`${rest}/chat/completions`);
  return new Promise((resolve) => {
    const request = http.request({
      hostname,
      port,
      path: pathname,
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    });
    request.on('error', () => resolve({ kind: 'nothing' }));
    request.on('response', (response) => {
      const id = String(response.headers['x-generation-id']);
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (hangsUp) request.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        if (response.statusCode !== 200) resolve({ kind: 'refused', text: `${response.statusCode} ${text}` });
        else if (!response.complete || hangsUp) resolve({ kind: 'begun', generationId: id });
        else resolve(outcomeOf(id, text, stream));
      });
    });
    request.end(body);
  });
}

/** A streamed answer is complete with its `[DONE]`; its usage is in the chunk before. */
function outcomeOf(generationId: string, text: string, stream: boolean): Outcome {
  const events = text.split('\n\n').filter((event) => event !== '');
  if (stream && events.at(-1) !== 'data: [DONE]') return { kind: 'begun', generationId };
  const { usage } = JSON.parse(stream ? (events.at(-2) ?? '').slice('data: '.length) : text);
  const whole: Whole = {
    generationId,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cost: usage.cost,
    isByok: usage.is_byok,
    upstreamCost: usage.cost_details.upstream_inference_cost,
  };
  return { kind: 'whole', whole };
}
