import { describe, expect, it } from 'vitest';
import { HOSTS, modelIdOf } from '../../support/hosts/table.js';
import { hostedSessions } from '../hosted-sessions.js';
import {
  hasSchema,
  IN_SCHEMA,
  ofInstructor,
  ofLangChain,
  ofLiteLlm,
  ofOpenAi,
  ofPydanticAi,
  planOf,
} from './answers.js';
import { CLIENTS_PYTHON, heardFrom, INSTRUCTOR_PYTHON, RUN_MS } from './python.js';

/** Those whose models have tools, which each client asks for. */
const CHOSEN = HOSTS.filter(({ lacks }) => !lacks.includes('tools') && !lacks.includes('streamed tools'));
const MODELS = CHOSEN.map(modelIdOf);

const CLIENTS = [
  { name: "OpenAI's SDK, by chats,", python: CLIENTS_PYTHON, script: 'openai_chats.py', hears: ofOpenAi },
  { name: 'LangChain', python: CLIENTS_PYTHON, script: 'langchain_models.py', hears: ofLangChain },
  { name: "LiteLLM's SDK", python: CLIENTS_PYTHON, script: 'litellm_sdk.py', hears: ofLiteLlm },
  { name: 'pydantic-ai', python: CLIENTS_PYTHON, script: 'pydantic_agents.py', hears: ofPydanticAi },
  { name: 'instructor', python: INSTRUCTOR_PYTHON, script: 'instructor_modes.py', hears: ofInstructor },
];

describe.runIf(CLIENTS_PYTHON !== '')('a client for Python', () => {
  const sessions = hostedSessions(CHOSEN, {}, RUN_MS);

  it.each(CLIENTS)(
    '$name hears the same from every host, in all its ways, and no host refuses what it is sent',
    async ({ python, script, hears }) => {
      const { hosts, server, fence } = sessions();
      const before = new Map(CHOSEN.map((host) => [host, hosts.requests(host).length]));
      for (const host of CHOSEN) hosts.plan(host, planOf(host));
      const asked = { url: `http://127.0.0.1:${server.port}`, apiKey: server.apiKey, fence };
      const heard = await heardFrom(python, script, asked, { MODELS: JSON.stringify(MODELS), IN_SCHEMA });
      expect(heard).toEqual(Object.fromEntries(MODELS.map((model) => [model, hears(model)])));
      const requests = CHOSEN.flatMap((host) => hosts.requests(host).slice(before.get(host)));
      expect(requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
      const inSchema = requests.map(({ text }) => text).filter((text) => text.includes(IN_SCHEMA));
      expect(inSchema.length).toBeGreaterThanOrEqual(MODELS.length);
      expect(inSchema.filter((text) => !hasSchema(text))).toEqual([]);
      expect(fence.strays).toEqual([]);
    },
    RUN_MS,
  );
});
