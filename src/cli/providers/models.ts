import { nearestNames } from '../../base/nearest.js';
import { invalid, Problem } from '../../base/problem.js';
import { trimEnd } from '../../base/text.js';
import type { NativeObject } from '../../catalog/native/native.js';
import type { HostedModel } from '../../providers/discovery/model-list.js';
import type { AddedAdapter, TokenPrices } from './options.js';

/** Models to add, and those of the host that are left out. */
export interface Chosen {
  readonly models: readonly HostedModel[];
  /** The host's models that answer no chats. */
  readonly leftOut: readonly string[];
}

/**
 * The models that the host offers and that are wanted; null wants all. A host without a list is believed to have what
 * is wanted. Throws a `Problem` where a wanted one is not there, or nothing is left.
 */
export function chosenModels(
  offered: readonly HostedModel[] | undefined,
  wanted: readonly string[] | null,
  root: string,
): Chosen {
  if (offered === undefined && wanted === null) {
    const advice = 'give the address of its API, or name its models: --models ID,...';
    throw new Problem(
      'not_found',
      `no list of models below ${root}, nor at the usual places beside it; ${advice}`,
    );
  }
  const known = offered ?? [];
  const models = wanted === null ? known : wanted.map((id) => modelNamed(id, offered));
  const chats = models.filter(({ answersChats }) => answersChats);
  const leftOut = models.filter(({ answersChats }) => !answersChats).map(({ id }) => id);
  if (chats.length > 0) return { models: chats, leftOut };
  const names = leftOut.length === 0 ? '' : `: ${leftOut.slice(0, 5).join(', ')} answer no chats`;
  throw new Problem('not_found', `${root} offers no model for chats${names}; load or pull one first`);
}

function modelNamed(id: string, offered: readonly HostedModel[] | undefined): HostedModel {
  const found = offered?.find((one) => one.id === id) ?? offered?.find((one) => one.id === id + LATEST);
  if (found !== undefined) return found;
  if (offered === undefined) {
    return { id, contextLength: null, answersChats: true, readsImages: false, callsTools: null };
  }
  const nearest = nearestNames(
    id,
    offered.map((one) => one.id),
    3,
  );
  const hint = nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`;
  throw invalid([
    { field: '--models', rule: 'unknown_model', message: `the host has no model ${id}${hint}` },
  ]);
}

export interface DocumentRules {
  readonly slug: string;
  readonly adapter: AddedAdapter;
  /** undefined = not given: those of before, else none. */
  readonly prices: TokenPrices | undefined;
  /** Whether the host goes on from plain texts, beside chats. */
  readonly completesTexts: boolean;
  /** What is stored of an endpoint, by the host's name of its model. */
  readonly before: ReadonlyMap<string, NativeObject>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Each model in the native format, with its one endpoint. */
export function modelDocuments(models: readonly HostedModel[], rules: DocumentRules): NativeObject[] {
  const names = catalogNames(models.map(({ id }) => id));
  const taken = new Set(names.values());
  return models.map((model) => {
    const name = names.get(model.id) ?? model.id;
    const short = name.endsWith(LATEST) ? name.slice(0, -LATEST.length) : '';
    const isSecondName = short !== '' && !taken.has(short);
    return {
      ...documentOf(model, name, rules),
      ...(isSecondName && { canonical_slug: `${rules.slug}/${short}` }),
    };
  });
}

/** Of Ollama, which takes a name without a tag for this one (https://docs.ollama.com/api). */
const LATEST = ':latest';

/** The last part of each name, which paths and organisations come before, or the whole where two would be one. */
function catalogNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const short = ids.map((id) => plain(id.slice(trimEnd(id, '/').lastIndexOf('/') + 1)));
  return new Map(ids.map((id, index) => [id, isSingle(short, index) ? (short[index] ?? '') : plain(id)]));
}

function isSingle(names: readonly string[], index: number): boolean {
  return names.indexOf(names[index] ?? '') === index && names.lastIndexOf(names[index] ?? '') === index;
}

/** Characters of an id of the catalogue. */
const MAX_NAME = 128;

function plain(name: string): string {
  return trimEnd(name.replace(/[\s/]+/g, '-'), '-').slice(0, MAX_NAME);
}

function documentOf(
  model: HostedModel,
  name: string,
  { slug, adapter, prices, completesTexts, before, now }: DocumentRules,
): NativeObject {
  const old = before.get(model.id);
  const pricing = prices ?? old?.pricing;
  return {
    id: `${slug}/${name}`,
    name: model.id.slice(0, MAX_NAME),
    created: Math.floor(now / 1000),
    architecture: {
      input_modalities: model.readsImages ? ['text', 'image'] : ['text'],
      output_modalities: ['text'],
    },
    context_length: model.contextLength,
    supported_parameters: [
      ...PARAMETERS[adapter],
      ...(model.callsTools === false ? [] : ['tools', 'tool_choice']),
    ],
    endpoints: [
      {
        ...old,
        provider: slug,
        upstream_model_id: model.id,
        ...(completesTexts && { formats: old?.formats ?? ['chat', 'completions'] }),
        ...(pricing === undefined ? { unpriced: true } : { pricing, unpriced: null }),
      },
    ],
  };
}

/** What servers of the protocol commonly take. */
const PARAMETERS: Readonly<Record<AddedAdapter, readonly string[]>> = {
  openai: [
    'max_tokens',
    'temperature',
    'top_p',
    'stop',
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'response_format',
    'structured_outputs',
  ],
  anthropic: ['max_tokens', 'temperature', 'top_p', 'top_k', 'stop'],
};
