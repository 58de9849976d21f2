import { create } from '@bufbuild/protobuf';
import {
  type ListUserModelsResponse,
  ListUserModelsResponseSchema,
  type Model,
} from '../../../gen/byway/v1/models_pb.js';
import { LruMap } from '../../base/memory/lru-map.js';
import type { Catalog } from '../../catalog/catalog.js';
import { listModels } from '../../catalog/listing.js';
import type { Visibility } from '../../catalog/visibility.js';
import { modelMessage } from './model-message.js';

/** The requested page of models; null = not given. Without both, the whole list is requested. */
export interface ListingQuery {
  readonly offset: number | null;
  readonly limit: number | null;
  /** Absolute URL of the listing, without query. */
  readonly url: string;
}

/** Cached views of the catalogue (by preferences, guardrails, regions): some megabytes each. */
const MAX_LISTINGS = 32;

/** Cached pages of one view. */
const MAX_PAGES = 64;

/** Models of a page when only an offset is given. */
const DEFAULT_LIMIT = 500;

interface Listing {
  readonly models: Model[];
  readonly pages: LruMap<string, ListUserModelsResponse>;
}

/**
 * Lists models and caches each answer by what it depends on: the catalogue, the visibility, the page. A cached answer
 * is the same object each time, so that its serialised bytes can be cached too.
 */
export class ModelListing {
  #catalog: Catalog | undefined;
  #listings = new LruMap<string, Listing>(MAX_LISTINGS);
  readonly #keys = new WeakMap<Visibility, string>();

  /** The page; `links.next` is null on the last one. */
  page(catalog: Catalog, visibility: Visibility, query: ListingQuery): ListUserModelsResponse {
    const listing = this.#listing(catalog, visibility);
    const key = `${query.offset} ${query.limit} ${query.url}`;
    return listing.pages.getOrMake(key, () => respond(listing.models, query));
  }

  #listing(catalog: Catalog, visibility: Visibility): Listing {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#listings = new LruMap(MAX_LISTINGS);
    }
    return this.#listings.getOrMake(this.#keyOf(visibility), () => ({
      models: listModels(catalog, visibility).map(modelMessage),
      pages: new LruMap(MAX_PAGES),
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

function respond(models: readonly Model[], { offset, limit, url }: ListingQuery): ListUserModelsResponse {
  const isWhole = offset === null && limit === null;
  const from = offset ?? 0;
  const size = limit ?? DEFAULT_LIMIT;
  const end = from + size;
  const hasNext = !isWhole && end < models.length;
  return create(ListUserModelsResponseSchema, {
    data: isWhole ? [...models] : models.slice(from, end),
    totalCount: models.length,
    links: hasNext ? { next: `${url}?offset=${end}&limit=${size}` } : {},
  });
}
