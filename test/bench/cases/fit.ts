import { LENIENT_CHAT } from '../../../src/catalog/chat-contract.js';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import { RequestUses } from '../../../src/formats/shared-capacity/uses.js';
import { HOST_CONTRACTS } from '../../../src/providers/contracts.js';
import { fitChat } from '../../../src/providers/fit/chat/fit-chat.js';
import { requestBody } from '../../../src/providers/openai/chat/request.js';
import { rulesOf } from '../../../src/providers/openai/chat/rules.js';
import { fittingContract } from '../../../src/routing/plan/contract-check.js';
import { noPreferences } from '../../../src/routing/plan/preferences.js';
import { DEMO, demoEndpoint } from '../../support/chat.js';
import type { Measurement } from '../measurement.js';
import { measured, repeated } from '../rounds.js';

const HOSTS = ['openai', 'mistral', 'moonshotai', 'nobody'];

/** What it costs to make a chat fit that fits already, beside what it costs to say it in the host's JSON. */
export async function measureFit(): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const slug of HOSTS) {
    measurements.push(
      await fitting(`a chat of one message fits ${slug}`, slug, SHORT, 5_000),
      await fitting(`a coding agent's request fits ${slug}`, slug, agentsRequest(), 50),
    );
  }
  return [...measurements, await asking()];
}

/** As many as a plan makes attempts at most. */
const ENDPOINTS = 32;

/** What it costs a plan to ask the contracts of all its endpoints, beside what it costs to write the request once. */
function asking(): Promise<Measurement> {
  const body = agentsRequest();
  const served = Array.from({ length: ENDPOINTS }, (_, index) => {
    const slug = ASKED[index % ASKED.length] ?? 'openai';
    return {
      endpoint: { ...demoEndpoint('m'), id: `e${index}`, provider: slug },
      provider: { ...DEMO, slug, adapter: 'openai' as const, baseUrl: 'https://host' },
    };
  });
  const demands = { native: null, contracts: HOST_CONTRACTS, preferences: noPreferences };
  return measured(`${ENDPOINTS} endpoints are asked about a coding agent's request`, 'its JSON', 200, {
    ours: repeated(() => {
      const uses = new RequestUses(body);
      for (const one of served) fittingContract(one, { ...demands, uses });
    }),
    plain: repeated(() => JSON.stringify(body)),
  });
}

const ASKED = [...HOSTS, 'deepseek', 'groq', 'perplexity', 'azure'];

function fitting(title: string, slug: string, body: ChatBody, times: number): Promise<Measurement> {
  const endpoint = demoEndpoint('m');
  const { contract, quirks } = rulesOf(endpoint, { slug }, '');
  const call = { body, reasoning: null, endpoint, provider: { ...DEMO, slug } };
  return measured(title, 'its JSON', times, {
    ours: repeated(() => fitChat(call, { ...LENIENT_CHAT, ...contract })),
    plain: repeated(() => JSON.stringify(requestBody(call, quirks, false))),
  });
}

const SHORT: ChatBody = { model: 'm', messages: [{ role: 'user', content: 'Hello there' }] };

const TURNS = 30;
const RESULT_CHARACTERS = 6_000;
const TOOLS = 40;

/** 200 kB: sixty messages with calls and their results, forty tools. */
function agentsRequest(): ChatBody {
  const turns = Array.from({ length: TURNS }, (_, turn): ChatMessage[] => {
    const id = `call${String(turn).padStart(5, '0')}`;
    const called = { name: `tool_${turn % TOOLS}`, arguments: JSON.stringify({ path: `src/${turn}.ts` }) };
    return [
      { role: 'assistant', content: 'I look.', tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: id, content: 'x'.repeat(RESULT_CHARACTERS) },
    ];
  });
  const properties = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [
      `member${index}`,
      { type: 'string', description: 'What it is.' },
    ]),
  );
  return {
    model: 'm',
    messages: [{ role: 'user', content: 'Mend it' }, ...turns.flat()],
    tools: Array.from({ length: TOOLS }, (_, index) => ({
      type: 'function',
      function: {
        name: `tool_${index}`,
        description: 'Does it.',
        parameters: { type: 'object', properties },
      },
    })),
  };
}
