import { describe, expect, it, onTestFinished } from 'vitest';
import { startServerProcess } from '../../support/server-process.js';
import { startFence } from '../fence.js';
import { CLIENTS_PYTHON, heardFrom, RUN_MS } from './python.js';

/** Of the packaged catalogue. */
const MODEL = 'demo/embed';

/** What a case asks for that shortens. */
const SHORTENED = 2;

type Vectors = readonly (readonly number[])[];

function named(names: readonly string[], outcome: unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, outcome]));
}

describe.runIf(CLIENTS_PYTHON !== '')('embeddings', () => {
  it(
    "are the same to OpenAI's SDK, LangChain and LiteLLM's SDK, of texts and of tokens, as numbers and in base64",
    async () => {
      const server = await startServerProcess();
      onTestFinished(async () => void (await server.stop()));
      const fence = await startFence();
      onTestFinished(() => fence.close());
      const asked = { url: `http://127.0.0.1:${server.port}`, apiKey: server.apiKey, fence };
      const env = { MODELS: JSON.stringify([MODEL]), CHAT_MODEL: 'demo/echo' };
      const heard = await heardFrom(CLIENTS_PYTHON, 'embeddings.py', asked, env);
      const { [MODEL]: cases } = heard as Record<string, Record<string, Vectors>>;
      const whole = cases?.['as floats'];
      const tokens = cases?.tokens;
      const short = cases?.shortened;
      expect(whole?.map((vector) => vector.length > SHORTENED && vector.some((one) => one !== 0))).toEqual([
        true,
        true,
      ]);
      expect(whole?.[0]).not.toEqual(whole?.[1]);
      expect(tokens?.[0]).not.toEqual(tokens?.[1]);
      expect(short?.map(({ length }) => length)).toEqual([SHORTENED, SHORTENED]);
      const bad = (param: string) => ['BadRequestError', 400, param];
      expect(cases).toEqual({
        ...named(['by default', 'as floats', 'as base64', 'asynchronously'], whole),
        ...named(['LangChain, as texts', 'LiteLLM, by default', 'LiteLLM, as floats'], whole),
        'one text': whole?.slice(0, 1),
        shortened: short,
        ...named(['tokens', 'LangChain, by default'], tokens),
        'tokens of one text': tokens?.slice(0, 1),
        'LangChain, a question': tokens?.[0],
        ...named(['tokens, shortened', 'LangChain, shortened'], cases?.['tokens, shortened']),
        ...named(['nothing', 'an empty text'], bad('input')),
        'no dimensions': bad('dimensions'),
        'another format': bad('encoding_format'),
        ...named(['a model of chats', 'an unknown model'], bad('model')),
      });
      expect(fence.strays).toEqual([]);
    },
    RUN_MS,
  );
});
