import { AccountService } from '../../../gen/byway/v1/accounts_pb.js';
import { isoTimestamp } from '../../base/clock.js';
import { type Client, type ClientDependencies, createClient, deleteClient } from '../../identity/client.js';
import { managerOf } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { pageOf } from '../messages/page.js';
import {
  type AccountWideDependencies,
  accountWideChecks,
  accountWideMethods,
} from '../messages/preferences.js';

/** `byway.v1.AccountService` over client applications, preferences, credits and activity. */
export function accountService(
  dependencies: ClientDependencies & AccountWideDependencies,
): ServiceDefinition {
  return defineService(
    AccountService,
    {
      ...accountWideMethods(dependencies),
      async listClients(request, context) {
        const { accountId } = managerOf(context);
        const { clients, totalCount } = await dependencies.store.listClients(accountId, pageOf(request));
        return { data: clients.map(clientMessage), totalCount };
      },
      async createClient(request, context) {
        const { client, secret } = await createClient(dependencies, managerOf(context), {
          name: request.name,
          userId: request.userId ?? null,
        });
        return { data: clientMessage(client), clientSecret: secret };
      },
      async deleteClient(request, context) {
        await deleteClient(dependencies, managerOf(context), request.id);
        return { deleted: true };
      },
    },
    accountWideChecks(dependencies),
  );
}

function clientMessage({ id, name, userId, createdAt }: Client) {
  return { id, name, userId, createdAt: isoTimestamp(createdAt) };
}
