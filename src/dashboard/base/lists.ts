import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query';
import { ByokService } from '../../../gen/byway/v1/byok_pb.js';
import { KeyService } from '../../../gen/byway/v1/keys_pb.js';
import { ModelService } from '../../../gen/byway/v1/models_pb.js';
import { WorkspaceService } from '../../../gen/byway/v1/workspaces_pb.js';
import { nextOffset, useEveryPage } from './every-page.js';
import type { Option } from './option.js';

/** Max records of a page. */
export const MAX_PAGE_SIZE = 100;

/** Max options of a select. */
const MAX_OPTIONS = 1_000;

/** The account's workspaces. */
export function useWorkspaces() {
  return useQuery(WorkspaceService.method.listWorkspaces, { limit: MAX_PAGE_SIZE });
}

/** The account's workspaces to choose from; empty until they are read. */
export function useWorkspaceOptions(): readonly Option[] {
  return (useWorkspaces().data?.data ?? []).map(({ id, name = id }) => ({ value: id, label: name }));
}

/** The account's API keys to choose from, disabled ones included; empty until they are read. */
export function useKeyOptions(): readonly Option[] {
  const records = useKeys().data?.pages.flatMap((page) => page.data) ?? [];
  return records.map(({ hash, name = '', label }) => ({ value: hash, label: `${name} (${label})` }));
}

/** Whether the account's API keys are still being read for the first time. */
export function useAwaitsKeys(): boolean {
  return useKeys().isPending;
}

function useKeys() {
  const keys = useInfiniteQuery(
    KeyService.method.listKeys,
    { limit: MAX_PAGE_SIZE, offset: 0, includeDisabled: true },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_OPTIONS) },
  );
  useEveryPage(keys);
  return keys;
}

/** The account's provider keys by their names, or by their masked credentials where they have none. */
export function useByokKeyOptions(): readonly Option[] {
  const keys = useInfiniteQuery(
    ByokService.method.listByokKeys,
    { limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_OPTIONS) },
  );
  useEveryPage(keys);
  const records = keys.data?.pages.flatMap((page) => page.data) ?? [];
  return records.map(({ id, name, label }) => ({ value: id, label: name ?? label }));
}

/** The providers to choose from, by their display names. */
export function useProviderOptions(): readonly Option[] {
  const providers = useQuery(ModelService.method.listProviders, {});
  return (providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
}

/** Every model of the catalogue to choose from. */
export function useModelOptions(): readonly Option[] {
  const models = useQuery(ModelService.method.listModels, {});
  return (models.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

/** What a report refers to, which may be deleted. */
export interface Referred {
  /** The identifier. */
  readonly value: string;
  /** Undefined when the gateway does not know it. */
  readonly name: string | undefined;
  readonly isDeleted: boolean;
}

/** The label among the options, else the name, else the identifier; what is deleted is said to be. */
export function labelOfReferred(options: readonly Option[], { value, name, isDeleted }: Referred): string {
  const label = options.find((option) => option.value === value)?.label ?? name ?? value;
  return isDeleted ? `${label} (deleted)` : label;
}

/** The label of an identifier, or the identifier itself when it is unknown. */
export function valueLabel(options: readonly Option[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}
