import type { DescService, JsonObject } from '@bufbuild/protobuf';
import type { Operation } from '../operation.js';
import { commentOf, described } from './comments.js';

/** The group of a service's operations: its name without the word `Service`. */
export function tagOf(service: DescService): string {
  return service.name.replace(/Service$/, '');
}

/** The groups of the operations, by name. */
export function tagsOf(operations: readonly Operation[]): JsonObject[] {
  const services = new Set(operations.map(({ method }) => method.parent));
  return [...services]
    .map((service) => ({ name: tagOf(service), ...described(commentOf(service)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
