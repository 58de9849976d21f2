/** Sentences on what to do if the account has no key that could serve. */
import type { FallbackChain } from '../plan/plan.js';
import type { ExclusionReason } from '../types.js';
import { type Group, modelsIn, providerNamesOf, type RemedyLocation, sentence } from './words.js';

/** `No key for OpenAI or Azure is stored in workspace Default: add one (https://..., or POST /byok)`. */
export function noKeySentence(group: Group, location: RemedyLocation): string {
  return sentence(
    `No key for ${providerNamesOf(group)} is stored${inWorkspace(location)}`,
    `add one ${where(location)}`,
  );
}

/** `add a key for OpenAI (https://..., or POST /byok)`. */
export function addKey(group: Group, location: RemedyLocation): string {
  return `add a key for ${providerNamesOf(group)} ${where(location)}`;
}

function inWorkspace({ workspaceName }: RemedyLocation): string {
  return workspaceName === null ? '' : ` in workspace ${workspaceName}`;
}

function where({ baseUrl }: RemedyLocation): string {
  return `(${baseUrl === '' ? 'the dashboard' : `${baseUrl}/#/provider-keys`}, or POST /byok)`;
}

type KeyReason = Extract<ExclusionReason, `key_${string}`>;

interface KeyWords {
  cause(keys: Keys, group: Group): string;
  remedy(keys: Keys): string;
}

/** The keys of a group. */
interface Keys {
  /** `The key "Mine" for OpenAI`, or `The 3 keys for OpenAI`. */
  readonly name: string;
  readonly isOne: boolean;
}

/** The sentence about keys that exist, and what always helps: adding another one. */
export function keySentence(reason: KeyReason) {
  return (group: Group, { context }: FallbackChain, location: RemedyLocation): string => {
    const keys = keysOf(group, context);
    const { cause, remedy } = WORDS[reason];
    return sentence(cause(keys, group), `${remedy(keys)}, or add another key ${where(location)}`);
  };
}

const WORDS: Record<KeyReason, KeyWords> = {
  key_disabled: {
    cause: ({ name, isOne }) => `${name} ${isOne ? 'is' : 'are'} disabled`,
    remedy: ({ isOne }) => `enable ${isOne ? 'it' : 'one'} (PATCH /byok/{id})`,
  },
  key_model_filter: {
    cause: ({ name, isOne }, group) =>
      `${name} ${isOne ? 'is' : 'are'} not for ${modelsIn(group)} (allowed_models)`,
    remedy: () => 'add the model to the filter (PATCH /byok/{id})',
  },
  key_api_key_filter: {
    cause: ({ name, isOne }) =>
      `${name} ${isOne ? 'is' : 'are'} not for this API key (allowed_api_key_hashes)`,
    remedy: () => 'add its hash to the filter (PATCH /byok/{id})',
  },
  key_member_filter: {
    cause: ({ name, isOne }) =>
      `${name} ${isOne ? 'is' : 'are'} not for the member whom this API key belongs to (allowed_user_ids)`,
    remedy: () => 'add the member to the filter (PATCH /byok/{id})',
  },
  key_not_zdr: {
    cause: ({ name, isOne }) =>
      `Zero data retention is demanded, and ${withSmallInitial(name)} ${isOne ? 'is' : 'are'} declared as not offering it (declared_zdr)`,
    remedy: () => 'clear that where the contract with the provider offers it (PATCH /byok/{id})',
  },
  key_no_endpoint: {
    cause: ({ name, isOne }, group) =>
      `The credential of ${withSmallInitial(name)} ${isOne ? 'has' : 'have'} no entry for ${modelsIn(group)}`,
    remedy: () => 'add a deployment of the model to it (PATCH /byok/{id} with key)',
  },
  key_unusable: {
    cause: ({ name }) => `The stored credential of ${withSmallInitial(name)} can't be opened or used`,
    remedy: () => 'store it again (PATCH /byok/{id} with key)',
  },
};

function keysOf(group: Group, { keys }: FallbackChain['context']): Keys {
  const ids = new Set(group.members.map(({ exclusion }) => exclusion.byokKeyId));
  const providers = providerNamesOf(group);
  if (ids.size > 1) return { name: `The ${ids.size} keys for ${providers}`, isOne: false };
  const slugs = new Set(group.members.map(({ slug }) => slug));
  const found = [...slugs].flatMap((slug) => keys.ofProvider(slug)).find(({ key }) => ids.has(key.id))?.key;
  const called = found === undefined ? '' : ` ${JSON.stringify(found.name ?? found.label)}`;
  return { name: `The key${called} for ${providers}`, isOne: true };
}

function withSmallInitial(name: string): string {
  return name.replace(/^The /, 'the ');
}
