/** How the host of an endpoint differs from others that speak this format, and what it takes of a chat. */
import { type ChatContract, LENIENT_CHAT } from '../../../catalog/chat-contract.js';
import { type HostName, hostNamed } from '../../../catalog/known-hosts.js';
import { mergeQuirks, type Quirks, TOKEN_LIMIT_MEMBERS } from '../../../catalog/quirks.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';
import { type AnswerRules, answerRules } from './answer-rules.js';
import { merged } from './contracts/fact.js';
import { CONTRACTS } from './contracts.js';
import { HOSTS, UNKNOWN } from './hosts.js';

export interface HostRules {
  readonly quirks: Quirks;
  readonly contract: ChatContract;
  readonly answers: AnswerRules;
}

const known = new WeakMap<Endpoint, HostRules & { readonly host: string }>();

/**
 * The rules of an endpoint that is called at this host: those of the host, where it has none those of the provider of
 * this slug (as behind a proxy), and over them what the catalogue says.
 */
export function rulesOf(endpoint: Endpoint, { slug }: Pick<Provider, 'slug'>, host: string): HostRules {
  const found = known.get(endpoint);
  if (found?.host === host) return found;
  const name = hostNamed(host, slug);
  const rules = { host, ...(name === undefined ? rulesOfUnknown(endpoint) : rulesAt(name, endpoint)) };
  known.set(endpoint, rules);
  return rules;
}

function rulesOfUnknown({ quirks: own, supportedParameters }: Endpoint): HostRules {
  const quirks = mergeQuirks(UNKNOWN, limitAdvertised(supportedParameters), own);
  const givenReasoning = !saysOfReasoning(own);
  const contract = { ...LENIENT_CHAT, givenReasoning, ...own.contract };
  return { quirks, contract, answers: answerRules(quirks) };
}

/** Whether the operator has said how the host is told to reason. */
function saysOfReasoning({ reasoningOn, reasoningOff, members = {}, contract }: Quirks): boolean {
  const isSwitched = reasoningOn !== undefined || reasoningOff !== undefined;
  return isSwitched || Object.hasOwn(members, 'reasoning_effort') || contract?.efforts !== undefined;
}

/** The only spelling of the limit of tokens that an endpoint advertises. */
function limitAdvertised(parameters: readonly string[]): Quirks {
  const [member, ...others] = TOKEN_LIMIT_MEMBERS.filter((name) => parameters.includes(name));
  return member === undefined || others.length > 0 ? {} : { maxTokensMember: member };
}

function rulesAt(name: HostName, { modelId, upstreamModelId, quirks: own }: Endpoint): HostRules {
  const isCalled = ({ id }: { readonly id: RegExp }) => id.test(modelId) || id.test(upstreamModelId);
  const host = HOSTS[name];
  const { facts, models = [] } = CONTRACTS[name];
  const ofModel = host.models?.find(({ id }) => id.test(modelId))?.quirks;
  const ofModels = models.filter(isCalled).flatMap((model) => model.facts);
  const quirks = mergeQuirks(UNKNOWN, host.quirks, ofModel, own);
  return {
    quirks,
    contract: { ...LENIENT_CHAT, ...merged([...facts, ...ofModels]), ...own.contract },
    answers: answerRules(quirks),
  };
}
