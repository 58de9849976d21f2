import { CacheService } from '../../../../gen/byway/v1/cache_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { deleteCache } = CacheService.method;

export const CACHE_CASES: readonly Case[] = [
  answers(deleteCache, "empties the account's cache", { as: by.manager, ask: () => ({}) }, { deleted: true }),
  fails(
    deleteCache,
    'with an API key',
    { as: by.apiKey, ask: () => ({}) },
    { status: 403, reason: 'permission_denied' },
  ),
];
