import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query';
import { AccountService } from '../../../gen/byway/v1/accounts_pb.js';
import { ByokService } from '../../../gen/byway/v1/byok_pb.js';
import { nanoUsd } from './decimal.js';
import { nextOffset, useEveryPage } from './every-page.js';
import { MAX_PAGE_SIZE } from './lists.js';
import { daysUntil } from './time.js';

/** The UTC days, today included, whose traffic says what a limit should count. */
const TRAFFIC_DAYS = 7;

/** With more workspaces than this, the first of them are known. */
const MAX_WORKSPACES = 1_000;

/** Where the charge is at most one part in so many of what went over own keys, it may be their fee alone (5 %). */
const FEE_PARTS = 20n;

/** What was spent, in nano-USD. */
export interface Traffic {
  /** Over shared capacity, and fees. */
  readonly sharedNanoUsd: bigint;
  /** Over own keys, at list price. */
  readonly byokNanoUsd: bigint;
}

/** What is known when a limit is set. */
export interface LimitTraffic extends Traffic {
  /** Whose traffic it is: what the limit is for, or the next larger that had some. */
  readonly whose: 'API key' | 'workspace' | 'account';
  /** Whether the account has provider keys of its own. */
  readonly hasByokKeys: boolean;
  /** Whether some of it is still being read. */
  readonly isPending: boolean;
}

/** What a limit is for. */
export interface LimitScope {
  readonly apiKeyHash?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** Whether a new limit should count own keys: where they are half or more of what was spent; without traffic, where there are any. */
export function shouldCountByok({ sharedNanoUsd, byokNanoUsd, hasByokKeys }: LimitTraffic): boolean {
  return spentNanoUsd({ sharedNanoUsd, byokNanoUsd }) === 0n ? hasByokKeys : byokNanoUsd >= sharedNanoUsd;
}

/** Whether a limit that leaves own keys out counts nothing of what flows, or but the fees of it. */
export function missesTraffic({ sharedNanoUsd, byokNanoUsd }: Traffic): boolean {
  return byokNanoUsd > 0n && sharedNanoUsd * FEE_PARTS <= byokNanoUsd;
}

export function spentNanoUsd({ sharedNanoUsd, byokNanoUsd }: Traffic): bigint {
  return sharedNanoUsd + byokNanoUsd;
}

/** The last days' traffic of what a limit is for. What can't be read counts as none. */
export function useLimitTraffic({ apiKeyHash, workspaceId }: LimitScope): LimitTraffic {
  const ofKey = useActivity({ from: firstDay(), apiKeyHash });
  const ofAll = useActivity({ from: firstDay() });
  const byokKeys = useQuery(ByokService.method.listByokKeys, { limit: 1 });
  const known = [
    { whose: 'API key', ...sumOf(apiKeyHash === undefined ? [] : ofKey.rows) },
    { whose: 'workspace', ...sumOf(ofAll.rows.filter((row) => row.workspaceId === workspaceId)) },
  ] as const;
  return {
    ...(known.find((traffic) => spentNanoUsd(traffic) > 0n) ?? { whose: 'account', ...sumOf(ofAll.rows) }),
    hasByokKeys: (byokKeys.data?.totalCount ?? 0) > 0,
    isPending: ofKey.isPending || ofAll.isPending || byokKeys.isPending,
  };
}

/** The last days' traffic of each workspace that had some, by its identifier; empty until it is read. */
export function useWorkspaceTraffic(): ReadonlyMap<string, Traffic> {
  const { rows } = useActivity({ from: firstDay() });
  return new Map(rows.map((row) => [row.workspaceId, sumOf([row])]));
}

function firstDay(): string {
  return daysUntil(Date.now(), TRAFFIC_DAYS)[0] ?? '';
}

/** Usage by workspace. */
function useActivity(input: Pick<LimitScope, 'apiKeyHash'> & { readonly from: string }) {
  const query = useInfiniteQuery(
    AccountService.method.listActivity,
    { ...input, groupBy: 'workspace', limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_WORKSPACES) },
  );
  useEveryPage(query);
  return {
    rows: query.data?.pages.flatMap((page) => page.data) ?? [],
    isPending: query.isPending || (query.hasNextPage && !query.isError),
  };
}

function sumOf(rows: readonly { readonly usage: number; readonly byokUsage: number }[]): Traffic {
  return {
    sharedNanoUsd: rows.reduce((sum, { usage }) => sum + nanoUsd(usage), 0n),
    byokNanoUsd: rows.reduce((sum, { byokUsage }) => sum + nanoUsd(byokUsage), 0n),
  };
}
