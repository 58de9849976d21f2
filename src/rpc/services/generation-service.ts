import {
  type ExportGenerationsRequest,
  GenerationService,
  type ListGenerationsRequest,
  ListGenerationsRequestSchema,
} from '../../../gen/byway/v1/generations_pb.js';
import type { RecordNameReader } from '../../accounts/record-names.js';
import { notFound, Problem } from '../../base/problem.js';
import { pushedPages } from '../../base/push-stream.js';
import type { Signal } from '../../base/signal.js';
import type { CatalogCache } from '../../catalog/assembled/catalog.js';
import type { ApiKeyPrincipal, ManagementKeyPrincipal } from '../../identity/principal.js';
import type {
  Generation,
  GenerationPosition,
  GenerationScope,
  GenerationStore,
} from '../../inference/ports/generation.js';
import type { ReceiptReader } from '../../inference/ports/receipt.js';
import { type Caller, callerOf, managerOf, principalOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { ExportLimit } from '../export-limit.js';
import type { LastingStreams } from '../lasting-streams.js';
import { cursorOf, cursorViolations, positionOf } from '../messages/cursor.js';
import { type FilteredRequest, filterOf, generationFilterViolations } from '../messages/generation-filter.js';
import { generationMessage } from '../messages/generation-message.js';
import { pageOf } from '../messages/page.js';
import { receiptMessage } from '../messages/receipt-message.js';
import { namedBy } from '../messages/record-names.js';
import { wordsOf } from '../messages/words.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface GenerationDependencies {
  readonly store: Pick<GenerationStore, 'find' | 'list' | 'export'>;
  readonly receipts: ReceiptReader;
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly names: RecordNameReader;
  readonly lasting: LastingStreams;
}

export function generationService({
  store,
  receipts,
  catalogs,
  names,
  lasting,
}: GenerationDependencies): ServiceDefinition {
  const exports = new ExportLimit();
  async function violationsOf(request: FilteredRequest, caller: Caller) {
    const { accountId } = principalOfKind(caller, 'management_key');
    const isOwn = (id: string) => names.hadWorkspace(accountId, id);
    const workspaceIds = wordsOf(request.workspaceId) ?? [];
    const unknown = await Promise.all(workspaceIds.map((id) => workspaceViolations(id, isOwn)));
    return [
      ...generationFilterViolations(request),
      ...(unknown.find((violations) => violations.length > 0) ?? []),
    ];
  }
  async function messagesOf(accountId: string, generations: readonly Generation[]) {
    const nameOf = await names.namesOf(accountId, namedBy(generations));
    const catalog = await catalogs.current();
    return generations.map((one) => generationMessage(one, catalog, nameOf));
  }
  async function* exported(accountId: string, request: ExportGenerationsRequest, signal: Signal) {
    for await (const page of store.export(accountId, filterOf(request))) {
      signal.throwIfAborted();
      yield messagesOf(accountId, page);
    }
  }
  return defineService(
    GenerationService,
    {
      async getGeneration({ id }, context) {
        const scope = scopeOf(principalOf(context, 'api_key', 'management_key'));
        const generation = await store.find(generationIdOf(id), scope);
        if (generation === undefined) throw notFound();
        const [data] = await messagesOf(scope.accountId, [generation]);
        return { data };
      },
      async getReceipt({ id }, context) {
        const receipt = await receipts.find(
          generationIdOf(id),
          scopeOf(principalOf(context, 'api_key', 'management_key')),
        );
        if (receipt === undefined) throw notFound();
        if (receipt === null) throw new Problem('no_receipt', NO_RECEIPT);
        return { data: receiptMessage(receipt) };
      },
      async listGenerations(request, context) {
        const { accountId } = managerOf(context);
        const { limit, offset } = pageOf(request);
        const after = positionOf(request.cursor);
        const page = await store.list(accountId, filterOf(request), { limit, offset, after });
        return {
          data: await messagesOf(accountId, page.generations),
          totalCount: page.totalCount,
          totalCountExact: page.isTotalExact,
          links: page.next === null ? {} : { next: callerOf(context).baseUrl + nextPage(request, page.next) },
        };
      },
      exportGenerations(request, context) {
        const { accountId } = managerOf(context);
        const pages = exports.run(accountId, () => exported(accountId, request, context.signal));
        return lasting.add(pushedPages(pages));
      },
    },
    {
      checks: {
        async listGenerations(request, caller) {
          const { cursor, offset } = request;
          return [...(await violationsOf(request, caller)), ...cursorViolations(cursor, offset)];
        },
        exportGenerations: violationsOf,
      },
    },
  );
}

/** An API key sees its own, a management key its account's. */
function scopeOf(principal: ApiKeyPrincipal | ManagementKeyPrincipal): GenerationScope {
  return {
    accountId: principal.accountId,
    apiKeyHash: principal.kind === 'api_key' ? principal.keyHash : null,
  };
}

/** The path of the same request behind a place. */
function nextPage(request: ListGenerationsRequest, next: GenerationPosition): string {
  const query = new URLSearchParams({ cursor: cursorOf(next) });
  for (const { localName, name } of ListGenerationsRequestSchema.fields) {
    const value = request[localName as keyof ListGenerationsRequest];
    if (value !== undefined && name !== 'cursor' && name !== 'offset') query.set(name, String(value));
  }
  return `/api/v1/generations?${query}`;
}

const NO_RECEIPT =
  'The generation has no receipt: it is from before receipts were kept; what it cost is in its record (GET /generation)';

/** Answers in the formats of Messages and Responses have the generation's id behind it. */
const ANSWER_PREFIX = /^(?:msg|resp)_/;

function generationIdOf(id: string): string {
  return id.replace(ANSWER_PREFIX, '');
}
