import { CacheService } from '../../../../gen/byway/v1/cache_pb.js';
import { answers, by, type Case } from '../case.js';

export const CACHE_CASES: readonly Case[] = [
  answers(
    CacheService.method.deleteCache,
    "empties the account's cache",
    { as: by.manager, ask: () => ({}) },
    { deleted: true },
  ),
];
