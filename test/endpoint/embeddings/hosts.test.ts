import { describe, expect, it } from 'vitest';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';
import { vectorsIn } from './embeddings.fixture.js';
import {
  BY_NAME,
  DIVIDED,
  DIVIDED_BY_TOKENS,
  expectedVector,
  inputsSent,
  modelAt,
  PRICE,
  startHost,
} from './hosts.fixture.js';

const TEXTS = ['Hello', 'Grüezi 👋🏽', 'a'.repeat(300)];

/** As many texts as make so many parts, each different. */
function textsFor(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `text ${index}`);
}

describe.each(BY_NAME)('at %s', (_name, row) => {
  it('numbers and base64 are the same vectors, in the order of the inputs', async () => {
    const { embed } = await startHost(row);
    const wanted = TEXTS.map((text) => expectedVector(row, text));
    const numbers = await embed({ input: TEXTS });
    expect([numbers.status, vectorsIn(bodyOf(numbers))]).toEqual([200, wanted]);
    const base64 = await embed({ input: TEXTS, encoding_format: 'base64' });
    expect(vectorsIn(bodyOf(base64)).map(numbersOf)).toEqual(wanted);
  });

  it('has as many dimensions as are asked for, or is passed over', async () => {
    const { embed, running } = await startHost(row);
    const dimensions = row.fewer ?? 128;
    for (const encoding_format of ['float', 'base64']) {
      const answer = await embed({ input: TEXTS, dimensions, encoding_format });
      if (row.fewer === null) {
        expect([answer.status, violatedFields(answer)]).toEqual([400, ['dimensions']]);
        expect(running.bodies()).toEqual([]);
        continue;
      }
      const wanted = TEXTS.map((text) => expectedVector(row, text, dimensions));
      const got = vectorsIn(bodyOf(answer));
      if (encoding_format === 'float') expect(got).toEqual(wanted);
      else expect(got.map(numbersOf)).toEqual(wanted.map((vector) => vector.map(Math.fround)));
    }
  });

  it('costs what the host has counted, over all parts', async () => {
    const { embed, gateway } = await startHost(row);
    const body = bodyOf(await embed({ input: TEXTS }));
    const tokens = TEXTS.join('').length;
    expect(body.usage).toMatchObject({ prompt_tokens: tokens, total_tokens: tokens });
    const { cost } = body.usage as { cost: number };
    expect(cost).toBeCloseTo(tokens * PRICE, 12);
    const record = recordOf(await gateway.use('GET', `/generation?id=${String(body.id)}`));
    expect(record).toMatchObject({ tokens_prompt: tokens, usage: cost, counted_by: 'provider' });
  });

  it('gets the tokens of other models as texts, and those of its own as they are', async () => {
    const { embed, running } = await startHost(row);
    const answer = await embed({
      input: [
        [15339, 1917],
        [6600, 2448, 68, 8510],
      ],
    });
    const knowsTokens = modelAt(row).startsWith('openai/');
    const inputs = knowsTokens
      ? [
          [15339, 1917],
          [6600, 2448, 68, 8510],
        ]
      : ['hello world', 'Grüezi'];
    expect([answer.status, running.bodies().flatMap(inputsSent)]).toEqual([200, inputs]);
  });

  it('is asked with the other key after a refusal for its rate', async () => {
    const { embed, gateway, running } = await startHost(row, { capacity: 'BYOK keys', keys: 2 });
    let calls = 0;
    running.behave(() => {
      calls += 1;
      return calls === 1 ? { status: 429 } : {};
    });
    const answer = await embed({ input: 'a' });
    expect([answer.status, answer.text.slice(0, 100)]).toEqual([200, expect.anything()]);
    const { id } = bodyOf(answer);
    const record = recordOf(await gateway.use('GET', `/generation?id=${String(id)}`));
    expect(record.provider_responses).toMatchObject([{ status: 429 }, { status: 200 }]);
    const keys = (record.provider_responses as Row[]).map(({ byok_key_id }) => byok_key_id);
    expect(new Set(keys).size).toBe(2);
  });
});

describe.each(DIVIDED)('%s, which takes fewer inputs in a call', (_name, row) => {
  const inputs = textsFor(Math.min(2 * row.maxInputs + 1, 2048));

  it('is sent more in parts, whose answers are in order however late they come', async () => {
    const { embed, running } = await startHost(row);
    running.behave(([first]) => ({
      delayMs: first === inputs[0] ? 80 : first === inputs[row.maxInputs] ? 40 : 0,
    }));
    const answer = await embed({ input: inputs });
    const got = vectorsIn(bodyOf(answer)).map((vector) => (vector as number[]).slice(0, 3));
    expect(got).toEqual(inputs.map((text) => expectedVector(row, text).slice(0, 3)));
    const rest = inputs.length - 2 * row.maxInputs;
    expect(running.bodies().map((body) => inputsSent(body).length)).toEqual([
      row.maxInputs,
      row.maxInputs,
      ...(rest > 0 ? [rest] : []),
    ]);
    const tokens = inputs.join('').length;
    expect(bodyOf(answer).usage).toMatchObject({ prompt_tokens: tokens });
  });

  it('leaves all of them to the next endpoint where one part fails, and that alone is paid', async () => {
    const { embed, gateway, running } = await startHost(row, { hasSpare: true });
    running.behave((sent) => (sent.includes(inputs.at(-1)) ? { status: 500 } : {}));
    const body = bodyOf(await embed({ input: inputs }));
    expect(vectorsIn(body)).toEqual(inputs.map((text) => vectorOfInput(text)));
    expect(body.provider).toBe('spare');
    const { cost } = body.usage as { cost: number };
    expect(cost).toBeCloseTo(inputs.join('').length * 2 * PRICE, 12);
    const { provider_responses } = recordOf(await gateway.use('GET', `/generation?id=${String(body.id)}`));
    expect(provider_responses).toMatchObject([{ status: 500 }, { status: 200 }]);
  });
});

it.each(DIVIDED_BY_TOKENS)(
  '%s is sent no more tokens in a call than it takes, and all vectors are in order',
  async (_name, row, maxTokens) => {
    const { embed, running } = await startHost(row);
    // A text may be as many tokens as it has bytes, and is here.
    const inputs = textsFor(45).map((text) => text.padEnd(Math.ceil(maxTokens / 40), 'x'));
    const answer = await embed({ input: inputs });
    expect([answer.status, vectorsIn(bodyOf(answer))]).toEqual([
      200,
      inputs.map((text) => expectedVector(row, text)),
    ]);
    const sent = running.bodies().map((body) => inputsSent(body).join('').length);
    expect([sent.length, Math.max(...sent) <= maxTokens]).toEqual([2, true]);
  },
);

function violatedFields(answer: Answer): unknown[] {
  const { metadata } = bodyOf(answer).error as Row & { metadata: { violations: Row[] } };
  return metadata.violations.map(({ field }) => field);
}

function numbersOf(base64: unknown): number[] {
  const bytes = Buffer.from(String(base64), 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
