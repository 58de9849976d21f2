/** What hosts that speak Responses take: `docs/providers/openai.md#contract`, with sources. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { type HostName, hostOf } from '../../../catalog/known-hosts.js';
import type { ResponsesContract } from '../../../catalog/responses-contract.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';
import { rulesOf } from '../chat/rules.js';

/** What depends on the host alone. */
export type HostFacts = Omit<
  ResponsesContract,
  'chat' | 'encryptsReasoning' | 'verbosities' | 'refusedMembers'
> & {
  readonly refusedMembers: readonly string[];
};

/** What hosts that speak Responses differ in. */
export interface ResponsesHost {
  readonly name: 'openai' | 'azure';
  /** Whether it counts the tokens of prompts. */
  readonly counts: boolean;
}

/** https://platform.openai.com/docs/api-reference/responses/input-tokens (2026-11-26). */
export const AT_OPENAI: ResponsesHost = { name: 'openai', counts: true };
export const AT_COMPATIBLE: ResponsesHost = { name: 'openai', counts: false };
export const AT_AZURE: ResponsesHost = { name: 'azure', counts: false };

/** Codex names a session and a device in it. */
const OF_OPENAI_ALONE = ['client_metadata'];

/** What Codex notes of an item for OpenAI; it had the second name in 2026-06. */
const NOTES_FOR_OPENAI = ['internal_chat_message_metadata_passthrough', 'metadata'];

/** OpenAI's own API. Members, items and tools that are not known are sent: it may know them. */
const OPENAI: HostFacts = {
  members: null,
  refusedMembers: [],
  toolTypes: null,
  itemTypes: null,
  refusedItemMembers: [],
  maxId: 64,
  typedIds: true,
  pairedCalls: true,
  typedParts: true,
  reasoningInput: 'encrypted',
  jsonByWord: true,
};

const AZURE: HostFacts = {
  ...OPENAI,
  refusedMembers: OF_OPENAI_ALONE,
  refusedItemMembers: NOTES_FOR_OPENAI,
};

/** Its input and its tools are closed lists; Codex's `additional_tools`, custom tools and namespaces are not among them. */
const XAI: HostFacts = {
  ...AZURE,
  toolTypes: new Set([
    ...['function', 'web_search', 'x_search', 'image_generation', 'collections_search', 'file_search'],
    ...['code_execution', 'code_interpreter', 'mcp', 'shell'],
  ]),
  itemTypes: new Set([
    ...['message', 'function_call', 'function_call_output', 'reasoning', 'web_search_call'],
    ...['x_search_call', 'file_search_call', 'code_interpreter_call', 'mcp_call'],
  ]),
  typedIds: false,
  maxId: null,
  jsonByWord: false,
};

/** Others, servers of one's own among them: what is refused is learned. */
const OTHERS: HostFacts = {
  ...AZURE,
  maxId: null,
  typedIds: false,
  typedParts: false,
  reasoningInput: 'any',
  jsonByWord: false,
};

const GROQ: HostFacts = { ...OTHERS, refusedMembers: [...OF_OPENAI_ALONE, 'prompt_cache_key'] };

const BY_HOST: { readonly [name in HostName]?: HostFacts } = { openai: OPENAI, xai: XAI, groq: GROQ };

/** By host and endpoint, since a request is short and a contract is not made for nothing. */
const made = new WeakMap<ResponsesHost, WeakMap<Endpoint, ResponsesContract>>();

export function responsesContract(
  endpoint: Endpoint,
  provider: Provider,
  host: ResponsesHost,
): ResponsesContract {
  const known = made.get(host) ?? new WeakMap<Endpoint, ResponsesContract>();
  if (!made.has(host)) made.set(host, known);
  const contract = known.get(endpoint) ?? contractOf(endpoint, provider, host);
  known.set(endpoint, contract);
  return contract;
}

function contractOf(endpoint: Endpoint, provider: Provider, host: ResponsesHost): ResponsesContract {
  const name = host.name === 'azure' ? 'azure' : hostOf(provider);
  const facts = name === 'azure' ? AZURE : ((name && BY_HOST[name]) ?? OTHERS);
  const { contract } = rulesOf(endpoint, { slug: name ?? provider.slug }, '');
  const isOpenAis = facts === OPENAI || facts === AZURE;
  const ofModel = contract.refusedMembers.filter((member) => SHARED_MEMBERS.has(member));
  return {
    ...facts,
    ...(isOpenAis ? modelFactsOf(endpoint) : ANY_MODEL),
    refusedMembers: new Set([...facts.refusedMembers, ...ofModel]),
    chat: { ...contract, ...UNLIKE_CHATS },
  };
}

/** Members of a chat that a Responses request calls by the same name. */
const SHARED_MEMBERS: ReadonlySet<string> = new Set([
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'top_logprobs',
]);

/** What chats of these hosts can't, and Responses can. */
const UNLIKE_CHATS: Partial<ChatContract> = { toolsWhileThinking: true, parametersNeeded: false };

type ModelFacts = Pick<ResponsesContract, 'encryptsReasoning' | 'verbosities'>;

const MODELS: readonly (readonly [id: RegExp, facts: Partial<ModelFacts>])[] = [
  [/(?:^|\/)(?:gpt-[34]|chatgpt|[^/]*-chat(?:-|$))/, { encryptsReasoning: false, verbosities: ['medium'] }],
  [/(?:^|\/)o\d/, { verbosities: ['medium'] }],
  [/(?:^|\/)gpt-5(?:\.1)?-codex/, { verbosities: ['medium'] }],
  [/(?:^|\/)(?:kimi|deepseek|llama|mistral|grok|phi)/i, { encryptsReasoning: false }],
];

const ANY_MODEL: ModelFacts = { encryptsReasoning: true, verbosities: null };

function modelFactsOf({ modelId, upstreamModelId }: Endpoint): ModelFacts {
  const found = MODELS.filter(([id]) => id.test(modelId) || id.test(upstreamModelId));
  return Object.assign({}, ANY_MODEL, ...found.map(([, facts]) => facts));
}
