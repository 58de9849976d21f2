import { CacheService } from '../../../gen/byway/v1/cache_pb.js';
import type { CachedAnswerStore } from '../../inference/ports/cached-answers.js';
import { principalOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';

export function cacheService(store: Pick<CachedAnswerStore, 'deleteAll'>): ServiceDefinition {
  return defineService(CacheService, {
    async deleteCache(_request, context) {
      await store.deleteAll(principalOf(context, 'management_key').accountId);
      return { deleted: true };
    },
  });
}
