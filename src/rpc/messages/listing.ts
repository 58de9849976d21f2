import { create } from '@bufbuild/protobuf';
import {
  type ListModelsRequest,
  type ListModelsResponse,
  ListModelsResponseSchema,
  type ListUserModelsResponse,
  ListUserModelsResponseSchema,
  type Model,
  type OutputModality,
  OutputModalitySchema,
} from '../../../gen/byway/v1/models_pb.js';
import { LruMap } from '../../base/memory/lru-map.js';
import { invalid, type Violation } from '../../base/problem.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import { listModels } from '../../catalog/assembled/listing.js';
import type { Visibility } from '../../catalog/visibility.js';
import { ofNow } from '../../protobuf/answer-caching.js';
import { enumNumber, enumSpelling, enumSpellings } from '../../protobuf/spelling.js';
import { defined } from './defined.js';
import { anthropicModel, modelMessage } from './model-message.js';
import { wordsOf } from './words.js';

/** Which models are listed: those that return one of these; null = all. */
type Returned = readonly OutputModality[] | null;

/** The requested page of models; null = not given. Without offset and limit, the whole list is requested. */
export interface ListingQuery {
  readonly returns: Returned;
  readonly offset: number | null;
  readonly limit: number | null;
  /** Absolute URL of the listing, without offset and limit. */
  readonly url: string;
}

/** Cached views of the catalogue (by preferences, guardrails, regions): some megabytes each. */
const MAX_LISTINGS = 32;

/** Cached pages of one view. */
const MAX_PAGES = 64;

/** Models of a page when only an offset is given. */
const DEFAULT_LIMIT = 500;

/** The requested page of Anthropic's list; null = not given. */
export interface AnthropicCursor {
  readonly returns: Returned;
  readonly limit: number | null;
  readonly afterId: string | null;
  readonly beforeId: string | null;
}

/** Models of a page of Anthropic's list when no limit is given: as many as there. */
const ANTHROPIC_DEFAULT_LIMIT = 20;

/** Which models are available to a caller, by id, and whether only those are wanted. */
export interface AvailableModels {
  readonly ids: ReadonlySet<string>;
  readonly isOnly: boolean;
}

/** What the models of a list return one of, by the query's words; null = anything. */
export function returnedBy(words: string | undefined): Returned {
  const modalities = wordsOf(words || undefined);
  if (modalities === null || modalities.includes(ANY)) return null;
  return modalities.flatMap((word) => enumNumber(OutputModalitySchema, word) ?? []);
}

export function returnedViolations({
  outputModalities,
}: Pick<ListModelsRequest, 'outputModalities'>): Violation[] {
  const words = wordsOf(outputModalities || undefined) ?? [];
  return words.every((word) => KNOWN_WORDS.includes(word)) ? [] : [UNKNOWN_MODALITY];
}

const ANY = 'all';
const KNOWN_WORDS: readonly (string | null)[] = [...enumSpellings(OutputModalitySchema), ANY];
const UNKNOWN_MODALITY: Violation = {
  field: 'output_modalities',
  rule: 'in',
  message: `must be among ${KNOWN_WORDS.join(', ')}`,
};

interface Listing {
  readonly models: Model[];
  readonly pages: LruMap<string, ListUserModelsResponse>;
  readonly anthropicPages: LruMap<string, ListModelsResponse>;
}

/**
 * Lists models and caches each answer by what it depends on: the catalogue, the visibility, the page. A cached answer
 * is the same object each time, so that its serialised bytes can be cached too.
 */
export class ModelListing {
  #catalog: Catalog | undefined;
  #listings = new LruMap<string, Listing>(MAX_LISTINGS);
  readonly #keys = new WeakMap<Visibility, string>();
  readonly #publicPath: string;

  /** @param publicPath Stands before the paths of links. */
  constructor(publicPath: string) {
    this.#publicPath = publicPath;
  }

  /** The page; `links.next` is null on the last one. */
  page(catalog: Catalog, visibility: Visibility, query: ListingQuery): ListUserModelsResponse {
    const listing = this.#listing(catalog, visibility);
    const key = `${query.offset} ${query.limit} ${query.returns} ${query.url}`;
    return listing.pages.getOrMake(key, () => respond(listing.models, query));
  }

  /** How many models the whole list has. */
  count(catalog: Catalog, visibility: Visibility, returns: Returned): number {
    return returning(this.#listing(catalog, visibility).models, returns).length;
  }

  /** As `page`, with what is available marked; only that where `isOnly`. Made anew each time. */
  availablePage(
    catalog: Catalog,
    visibility: Visibility,
    query: ListingQuery,
    { ids, isOnly }: AvailableModels,
  ): ListUserModelsResponse {
    const models = withAvailability(this.#listing(catalog, visibility).models, catalog, { ids, isOnly });
    return ofNow(respond(models, { ...query, url: `${query.url}?available=${isOnly}` }));
  }

  /** As `anthropicPage`, for the models that are available. */
  availableAnthropicPage(
    catalog: Catalog,
    visibility: Visibility,
    cursor: AnthropicCursor,
    available: AvailableModels,
  ): ListModelsResponse {
    const models = withAvailability(this.#listing(catalog, visibility).models, catalog, available);
    return ofNow(respondAnthropic(models, cursor));
  }

  /** The page as clients of Anthropic read it. Throws a 400 Problem for a cursor that is no model of the list. */
  anthropicPage(catalog: Catalog, visibility: Visibility, cursor: AnthropicCursor): ListModelsResponse {
    const { models, anthropicPages } = this.#listing(catalog, visibility);
    return anthropicPages.getOrMake(JSON.stringify(cursor), () => respondAnthropic(models, cursor));
  }

  #listing(catalog: Catalog, visibility: Visibility): Listing {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#listings = new LruMap(MAX_LISTINGS);
    }
    return this.#listings.getOrMake(this.#keyOf(visibility), () => ({
      models: listModels(catalog, visibility).map((model) => modelMessage(model, this.#publicPath)),
      pages: new LruMap(MAX_PAGES),
      anthropicPages: new LruMap(MAX_PAGES),
    }));
  }

  /** Equal for visibilities that hide the same models; computed once for each object. */
  #keyOf(visibility: Visibility): string {
    const known = this.#keys.get(visibility);
    if (known !== undefined) return known;
    const key = JSON.stringify(visibility);
    this.#keys.set(visibility, key);
    return key;
  }
}

/** An alias is available where its target is. */
function withAvailability(
  models: readonly Model[],
  catalog: Catalog,
  { ids, isOnly }: AvailableModels,
): Model[] {
  const all = models.map((model) => ({ ...model, available: ids.has(catalog.resolveId(model.id)) }));
  return isOnly ? all.filter(({ available }) => available) : all;
}

/** What OpenAI calls a list. */
const LIST = 'list';

function respond(all: readonly Model[], query: ListingQuery): ListUserModelsResponse {
  const { offset, limit, returns } = query;
  const models = returning(all, returns);
  const isWhole = offset === null && limit === null;
  const from = offset ?? 0;
  const size = limit ?? DEFAULT_LIMIT;
  const end = from + size;
  const hasNext = !isWhole && end < models.length;
  return create(ListUserModelsResponseSchema, {
    data: isWhole ? [...models] : models.slice(from, end),
    totalCount: models.length,
    object: LIST,
    links: hasNext ? { next: nextUrl(query, end, size) } : {},
  });
}

/** The host stays as it was written. */
function nextUrl({ url, returns }: ListingQuery, offset: number, limit: number): string {
  const words = returns?.map((modality) => enumSpelling(OutputModalitySchema, modality)).join();
  const filter = words === undefined ? '' : `output_modalities=${words}&`;
  return `${url}${url.includes('?') ? '&' : '?'}${filter}offset=${offset}&limit=${limit}`;
}

function returning(models: readonly Model[], returns: Returned): readonly Model[] {
  if (returns === null) return models;
  return models.filter(({ architecture }) =>
    architecture?.outputModalities.some((modality) => returns.includes(modality)),
  );
}

function respondAnthropic(
  all: readonly Model[],
  { limit, afterId, beforeId, returns }: AnthropicCursor,
): ListModelsResponse {
  const models = returning(all, returns);
  if (afterId !== null && beforeId !== null) throw invalid([BOTH_CURSORS]);
  const size = limit ?? ANTHROPIC_DEFAULT_LIMIT;
  const before = beforeId === null ? null : positionOf(models, 'before_id', beforeId);
  const from = before === null ? positionOf(models, 'after_id', afterId) + 1 : Math.max(before - size, 0);
  const end = before ?? from + size;
  const data = models.slice(from, end).map(anthropicModel);
  return create(ListModelsResponseSchema, {
    data,
    totalCount: models.length,
    object: LIST,
    links: {},
    hasMore: before === null ? end < models.length : from > 0,
    ...defined({ firstId: data[0]?.id, lastId: data.at(-1)?.id }),
  });
}

/** -1 for no cursor. */
function positionOf(models: readonly Model[], field: string, id: string | null): number {
  if (id === null) return -1;
  const position = models.findIndex((model) => model.id === id);
  if (position >= 0) return position;
  throw invalid([{ field, rule: 'known', message: 'must be the id of a model of the list' }]);
}

const BOTH_CURSORS: Violation = {
  field: 'before_id',
  rule: 'conflict',
  message: 'must be left out where after_id is given',
};
