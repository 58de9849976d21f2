/** The names of models without an author, by which their makers know them: `docs/routing.md#names-without-an-author`. */
import { once } from '../base/memory/once.js';
import type { Model } from './types.js';

/** The only model that is meant by a name without an author; undefined where there is none, or more than one. */
export type FindByAuthorlessName = (name: string) => Model | undefined;

/** A name that is an id but for the author comes before one that an endpoint has at its provider. */
export function authorlessNames(models: readonly Model[]): FindByAuthorlessName {
  const indexes = once(() => [indexOf(models, ownNames), indexOf(models, upstreamNames)]);
  return (name) => {
    const meant = indexes()
      .find((index) => index.has(name))
      ?.get(name);
    return meant?.size === 1 ? meant.values().next().value : undefined;
  };
}

type NameIndex = ReadonlyMap<string, ReadonlySet<Model>>;

function indexOf(models: readonly Model[], namesOf: (model: Model) => string[]): NameIndex {
  const index = new Map<string, Set<Model>>();
  for (const model of models) {
    if (model.aliasTarget !== null) continue;
    for (const name of namesOf(model)) index.set(name, (index.get(name) ?? new Set()).add(model));
  }
  return index;
}

/** Anthropic writes versions with a dash (`claude-opus-4-5`) where catalogues have a dot. */
function ownNames({ id, canonicalSlug }: Model): string[] {
  const names = [id, canonicalSlug].map((name) => name.slice(name.indexOf('/') + 1));
  return names.flatMap((name) => [name, name.replaceAll('.', '-')]);
}

function upstreamNames({ endpoints }: Model): string[] {
  const ids = endpoints.map(({ upstreamModelId }) => upstreamModelId).filter((id) => !id.includes('/'));
  return ids.flatMap((id) => [id, claudeName(id)]);
}

/** Vertex AI's `NAME@DATE` and Bedrock's `AREA.anthropic.NAME-v1:0` as Anthropic itself writes the same snapshot. */
function claudeName(upstreamId: string): string {
  const at = `.${upstreamId}`.indexOf('.anthropic.claude-');
  const name = at === -1 ? upstreamId : upstreamId.slice(at + 'anthropic.'.length);
  return name
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/@default$/, '')
    .replace('@', '-');
}
