/**
 * The typed client: one object with the resources as members (`byway.keys.update({...})`), over any Connect transport:
 * Connect, gRPC or gRPC-Web to a server, or in process. The names are public and chosen by hand, since they do not follow
 * from the contract; a test holds that every method has one.
 */
import { createClient, type Transport } from '@connectrpc/connect';
import { AccountService } from '../../gen/byway/v1/accounts_pb.js';
import { BatchService } from '../../gen/byway/v1/batches_pb.js';
import { ByokService } from '../../gen/byway/v1/byok_pb.js';
import { CacheService } from '../../gen/byway/v1/cache_pb.js';
import { ChatService } from '../../gen/byway/v1/chat_pb.js';
import { CompletionService } from '../../gen/byway/v1/completions_pb.js';
import { EmbeddingService } from '../../gen/byway/v1/embeddings_pb.js';
import { GenerationService } from '../../gen/byway/v1/generations_pb.js';
import { GuardrailService } from '../../gen/byway/v1/guardrails_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { MessagesService } from '../../gen/byway/v1/messages_pb.js';
import { ModelService } from '../../gen/byway/v1/models_pb.js';
import { RerankService } from '../../gen/byway/v1/rerank_pb.js';
import { ResponsesService } from '../../gen/byway/v1/responses_pb.js';
import { RoutingService } from '../../gen/byway/v1/routing_pb.js';
import { WorkspaceService } from '../../gen/byway/v1/workspaces_pb.js';

export { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';

/** Every operation of the contract, typed by it. */
export type Byway = ReturnType<typeof createByway>;

/** A client over the transport. Calls reject with ConnectError; its ErrorDetail has the same as the REST envelope. */
export function createByway(transport: Transport) {
  const accounts = createClient(AccountService, transport);
  const batches = createClient(BatchService, transport);
  const byok = createClient(ByokService, transport);
  const cache = createClient(CacheService, transport);
  const chat = createClient(ChatService, transport);
  const messages = createClient(MessagesService, transport);
  const generations = createClient(GenerationService, transport);
  const completions = createClient(CompletionService, transport);
  const embeddings = createClient(EmbeddingService, transport);
  const reranking = createClient(RerankService, transport);
  const guardrails = createClient(GuardrailService, transport);
  const keys = createClient(KeyService, transport);
  const models = createClient(ModelService, transport);
  const responses = createClient(ResponsesService, transport);
  const routing = createClient(RoutingService, transport);
  const workspaces = createClient(WorkspaceService, transport);
  return {
    activity: { list: accounts.listActivity },
    runs: { list: accounts.listRuns },
    batches: {
      list: batches.listBatches,
      create: batches.createBatch,
      get: batches.getBatch,
      results: batches.streamBatchResults,
    },
    byok: {
      list: byok.listByokKeys,
      create: byok.createByokKey,
      get: byok.getByokKey,
      update: byok.updateByokKey,
      test: byok.testByokKey,
      delete: byok.deleteByokKey,
    },
    cache: { delete: cache.deleteCache },
    chat: { create: chat.createChatCompletion, stream: chat.streamChatCompletion },
    clients: { list: accounts.listClients, create: accounts.createClient, delete: accounts.deleteClient },
    credits: { get: accounts.getCredits },
    generations: {
      get: generations.getGeneration,
      receipt: generations.getReceipt,
      list: generations.listGenerations,
      export: generations.exportGenerations,
    },
    guardrails: {
      list: guardrails.listGuardrails,
      create: guardrails.createGuardrail,
      get: guardrails.getGuardrail,
      update: guardrails.updateGuardrail,
      delete: guardrails.deleteGuardrail,
      listKeys: guardrails.listGuardrailKeys,
      assignKeys: guardrails.assignGuardrailKeys,
      unassignKeys: guardrails.unassignGuardrailKeys,
      listMembers: guardrails.listGuardrailMembers,
      assignMembers: guardrails.assignGuardrailMembers,
      unassignMembers: guardrails.unassignGuardrailMembers,
      listKeyAssignments: guardrails.listKeyAssignments,
      listMemberAssignments: guardrails.listMemberAssignments,
    },
    keys: {
      list: keys.listKeys,
      create: keys.createKey,
      get: keys.getKey,
      update: keys.updateKey,
      delete: keys.deleteKey,
      current: keys.getCurrentKey,
      endUsers: keys.listKeyEndUsers,
    },
    messages: {
      create: messages.createMessage,
      stream: messages.streamMessage,
      countTokens: messages.countTokens,
    },
    completions: { create: completions.createCompletion, stream: completions.streamCompletion },
    embeddings: { create: embeddings.createEmbeddings },
    reranking: { create: reranking.rerank },
    responses: {
      create: responses.createResponse,
      stream: responses.streamResponse,
      countInputTokens: responses.countInputTokens,
    },
    models: {
      list: models.listModels,
      get: models.getModel,
      describe: models.describeModel,
      listForUser: models.listUserModels,
      listEndpoints: models.listModelEndpoints,
      count: models.countModels,
      listForEmbeddings: models.listEmbeddingModels,
      listZdrEndpoints: models.listZdrEndpoints,
      listProviders: models.listProviders,
    },
    organization: { listMembers: accounts.listOrganizationMembers },
    preferences: { get: accounts.getPreferences, update: accounts.updatePreferences },
    routing: { explain: routing.explainRoute },
    workspaces: {
      list: workspaces.listWorkspaces,
      create: workspaces.createWorkspace,
      get: workspaces.getWorkspace,
      update: workspaces.updateWorkspace,
      delete: workspaces.deleteWorkspace,
      listMembers: workspaces.listWorkspaceMembers,
      addMembers: workspaces.addWorkspaceMembers,
      removeMembers: workspaces.removeWorkspaceMembers,
      listBudgets: workspaces.listWorkspaceBudgets,
      getBudget: workspaces.getWorkspaceBudget,
      putBudget: workspaces.putWorkspaceBudget,
      deleteBudget: workspaces.deleteWorkspaceBudget,
    },
  };
}
