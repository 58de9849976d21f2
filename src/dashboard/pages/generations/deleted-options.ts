import { useInfiniteQuery } from '@connectrpc/connect-query';
import { useMemo } from 'react';
import { AccountService, type Activity } from '../../../../gen/byway/v1/accounts_pb.js';
import { nextOffset, useEveryPage } from '../../base/every-page.js';
import { labelOfReferred, MAX_PAGE_SIZE, type Referred } from '../../base/lists.js';
import type { Option } from '../../base/option.js';
import { daysUntil } from '../../base/time.js';

/** What was used before that is not offered: summing all the time there has been would take long. */
const DAYS = 90;

/** Options of each kind, the used ones among them. */
const MAX_ROWS = 1_000;

/** The deleted API keys that were used lately; empty until they are read. */
export function useDeletedKeyOptions(): readonly Option[] {
  return useDeletedOptions('api_key', ({ apiKeyHash, apiKeyName, apiKeyDeleted }) => ({
    value: apiKeyHash,
    name: apiKeyName,
    isDeleted: apiKeyDeleted === true,
  }));
}

/** The deleted workspaces that were used lately; empty until they are read. */
export function useDeletedWorkspaceOptions(): readonly Option[] {
  return useDeletedOptions('workspace', ({ workspaceId, workspaceName, workspaceDeleted }) => ({
    value: workspaceId,
    name: workspaceName,
    isDeleted: workspaceDeleted === true,
  }));
}

function useDeletedOptions(groupBy: string, referredOf: (row: Activity) => Referred): readonly Option[] {
  const from = useMemo(() => daysUntil(Date.now(), DAYS)[0] ?? '', []);
  const query = useInfiniteQuery(
    AccountService.method.listActivity,
    { from, groupBy, limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_ROWS) },
  );
  useEveryPage(query);
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  return rows
    .map(referredOf)
    .filter(({ isDeleted }) => isDeleted)
    .map((one) => ({ value: one.value, label: labelOfReferred([], one) }));
}
