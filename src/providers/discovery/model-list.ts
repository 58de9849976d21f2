/** Reads what hosts say about their models. Sources: `docs/providers/local-servers.md`. */
import { isObject, members, textOf } from '../../formats/json.js';

/** A model that a host offers. */
export interface HostedModel {
  /** The host's own name. */
  readonly id: string;
  /** In tokens; null = the host does not say. */
  readonly contextLength: number | null;
  /** Whether it answers chats; false for embeddings and the like. */
  readonly answersChats: boolean;
  readonly readsImages: boolean;
  /** null = the host does not say. */
  readonly callsTools: boolean | null;
}

/** Maximum of models; the rest is dropped. Operators of larger hosts name the models that they want. */
const MAX_OFFERED = 1000;

const MAX_ID_LENGTH = 512;

/** Members with the context length, the most binding first: the served length before the trained one. */
const CONTEXT_MEMBERS = [
  'max_model_len',
  'loaded_context_length',
  'max_context_length',
  'context_length',
  'context_window',
  'max_input_tokens',
];

/** The models in an answer to `GET /models`; undefined if it is not a list of models. */
export function readModelList(answer: unknown): HostedModel[] | undefined {
  const list = Array.isArray(answer) ? answer : members(answer).data;
  if (!Array.isArray(list)) return undefined;
  const read = list.slice(0, MAX_OFFERED).map(readModel);
  const models = read.filter((model) => model !== undefined);
  return models.length === 0 && list.length > 0 ? undefined : distinct(models);
}

function readModel(entry: unknown): HostedModel | undefined {
  if (!isObject(entry)) return undefined;
  const id = textOf(entry.id);
  if (id === undefined || id === '' || id.length > MAX_ID_LENGTH) return undefined;
  const type = textOf(entry.type);
  return {
    id,
    contextLength: contextLengthOf(entry),
    answersChats: type === undefined || !/embed|rerank|image|audio|speech|moderation/i.test(type),
    readsImages: type === 'vlm',
    callsTools: null,
  };
}

function contextLengthOf(entry: Readonly<Record<string, unknown>>): number | null {
  const meta = members(entry.meta);
  const values = [...CONTEXT_MEMBERS.map((name) => entry[name]), meta.n_ctx, meta.n_ctx_train];
  return values.map(tokensOf).find((tokens) => tokens !== null) ?? null;
}

function tokensOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function distinct(models: readonly HostedModel[]): HostedModel[] {
  return [...new Map(models.map((model) => [model.id, model])).values()];
}

/** The model with what Ollama's `POST /api/show` says about it. */
export function withShown(model: HostedModel, answer: unknown): HostedModel {
  const { model_info, capabilities } = members(answer);
  const info = Object.entries(members(model_info)).find(([name]) => name.endsWith('.context_length'));
  const known = Array.isArray(capabilities) ? capabilities : null;
  return {
    ...model,
    contextLength: model.contextLength ?? tokensOf(info?.[1]),
    answersChats: known === null ? model.answersChats : known.includes('completion'),
    readsImages: model.readsImages || known?.includes('vision') === true,
    callsTools: known === null ? model.callsTools : known.includes('tools'),
  };
}

/** The models with what a second list, such as LM Studio's `GET /api/v0/models`, says about those of the same name. */
export function withList(models: readonly HostedModel[], answer: unknown): HostedModel[] {
  const others = new Map((readModelList(answer) ?? []).map((model) => [model.id, model]));
  return models.map((model) => {
    const other = others.get(model.id);
    if (other === undefined) return model;
    return {
      ...model,
      contextLength: model.contextLength ?? other.contextLength,
      answersChats: model.answersChats && other.answersChats,
      readsImages: model.readsImages || other.readsImages,
    };
  });
}
