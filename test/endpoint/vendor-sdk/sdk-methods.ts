/** The methods of OpenRouter's SDK: what is served here, and what is not. */
import { OpenRouter } from '@openrouter/sdk';

/** By method, the operations that it calls. `calls.ts` has a call of each, and so have the pages a row. */
export const SERVED = {
  'analytics.getUserActivity': 'GET /activity',
  'apiKeys.create': 'POST /keys',
  'apiKeys.delete': 'DELETE /keys/{hash}',
  'apiKeys.get': 'GET /keys/{hash}',
  'apiKeys.getCurrentKeyMetadata': 'GET /key',
  'apiKeys.list': 'GET /keys',
  'apiKeys.update': 'PATCH /keys/{hash}',
  'beta.responses.send': 'POST /responses',
  'byok.create': 'POST /byok',
  'byok.delete': 'DELETE /byok/{id}',
  'byok.get': 'GET /byok/{id}',
  'byok.list': 'GET /byok',
  'byok.update': 'PATCH /byok/{id}',
  callModel: 'POST /responses',
  'chat.send': 'POST /chat/completions',
  'credits.getCredits': 'GET /credits',
  'embeddings.generate': 'POST /embeddings',
  'embeddings.listModels': 'GET /embeddings/models',
  'endpoints.list': 'GET /models/{author}/{slug}/endpoints',
  'endpoints.listZdrEndpoints': 'GET /endpoints/zdr',
  'generations.getGeneration': 'GET /generation',
  'guardrails.bulkAssignKeys': 'POST /guardrails/{id}/assignments/keys',
  'guardrails.bulkAssignMembers': 'POST /guardrails/{id}/assignments/members',
  'guardrails.bulkUnassignKeys': 'POST /guardrails/{id}/assignments/keys/remove',
  'guardrails.bulkUnassignMembers': 'POST /guardrails/{id}/assignments/members/remove',
  'guardrails.create': 'POST /guardrails',
  'guardrails.delete': 'DELETE /guardrails/{id}',
  'guardrails.get': 'GET /guardrails/{id}',
  'guardrails.list': 'GET /guardrails',
  'guardrails.listGuardrailKeyAssignments': 'GET /guardrails/{id}/assignments/keys',
  'guardrails.listGuardrailMemberAssignments': 'GET /guardrails/{id}/assignments/members',
  'guardrails.listKeyAssignments': 'GET /guardrails/assignments/keys',
  'guardrails.listMemberAssignments': 'GET /guardrails/assignments/members',
  'guardrails.update': 'PATCH /guardrails/{id}',
  'models.count': 'GET /models/count',
  'models.get': 'GET /models/{author}/{slug}',
  'models.list': 'GET /models',
  'models.listForUser': 'GET /models/user',
  'organization.listMembers': 'GET /organization/members',
  'providers.list': 'GET /providers',
  'rerank.rerank': 'POST /rerank',
  'responses.send': 'POST /responses',
  'workspaces.bulkAddMembers': 'POST /workspaces/{id}/members/add',
  'workspaces.bulkRemoveMembers': 'POST /workspaces/{id}/members/remove',
  'workspaces.create': 'POST /workspaces',
  'workspaces.delete': 'DELETE /workspaces/{id}',
  'workspaces.deleteBudget': 'DELETE /workspaces/{id}/budgets/{interval}',
  'workspaces.get': 'GET /workspaces/{id}',
  'workspaces.getBudget': 'GET /workspaces/{id}/budgets/{interval}',
  'workspaces.list': 'GET /workspaces',
  'workspaces.listBudgets': 'GET /workspaces/{id}/budgets',
  'workspaces.listMembers': 'GET /workspaces/{id}/members',
  'workspaces.setBudget': 'PUT /workspaces/{id}/budgets/{interval}',
  'workspaces.update': 'PATCH /workspaces/{id}',
} as const;

export type ServedMethod = keyof typeof SERVED;

/** By reason. A method that is served from now on moves to `SERVED`. */
export const NOT_SERVED: Readonly<Record<string, readonly string[]>> = {
  'content of requests is not stored': ['generations.listGenerationContent', 'generations.submitFeedback'],
  'images, audio and video come of chats alone': [
    ...['images.generate', 'images.listModelEndpoints', 'images.listModels'],
    ...['stt.createTranscription', 'stt.createTranscriptionMultipart', 'tts.createSpeech'],
    ...['videoGeneration.generate', 'videoGeneration.getGeneration', 'videoGeneration.getVideoContent'],
    'videoGeneration.listVideosModels',
  ],
  'files are parts of messages, and containers stay at their provider': [
    ...['containers.downloadContainerFileContent', 'containers.getContainerFile'],
    ...['containers.listContainerFiles', 'containers.promoteContainerFile'],
    ...['files.delete', 'files.download', 'files.list', 'files.retrieve', 'files.upload'],
  ],
  'API keys are made with management keys and client secrets': [
    ...['oAuth.createAuthCode', 'oAuth.createAuthorizationUrl', 'oAuth.createOauthToken'],
    ...['oAuth.createSHA256CodeChallenge', 'oAuth.exchangeAuthCodeForAPIKey', 'oAuth.listOauthJwks'],
  ],
  'there are no presets': [
    ...['presets.createPresetsChatCompletions', 'presets.createPresetsMessages'],
    ...['presets.createPresetsResponses', 'presets.get', 'presets.getVersion', 'presets.list'],
    'presets.listVersions',
  ],
  'nothing is broadcast to services of observability': [
    ...['observability.create', 'observability.delete', 'observability.get', 'observability.list'],
    'observability.update',
  ],
  'members are not provisioned by SCIM': [
    ...['scim.create', 'scim.createSyncJob', 'scim.delete', 'scim.getSyncJob', 'scim.listGroups'],
    ...['scim.listMappings', 'scim.read', 'scim.update'],
  ],
  "what is of that service's own traffic, agents and vault": [
    ...['alpha.decisions.create', 'analytics.getAnalyticsMeta', 'analytics.queryAnalytics'],
    ...['benchmarks.getBenchmarks', 'classifications.getTaskClassifications'],
    ...['datasets.getAppRankings', 'datasets.getRankingsDaily', 'datasets.getSessionCost'],
    ...['interns.chat', 'interns.createIntern', 'interns.deleteIntern', 'interns.getIntern'],
    ...['interns.listInterns', 'interns.provisionIntern', 'interns.suspendIntern', 'interns.updateIntern'],
    ...['systemOne.create', 'vault.copyVaultSecretsToIntern', 'vault.deleteInternVaultSecret'],
    ...['vault.deleteVaultSecret', 'vault.listInternVaultSecrets', 'vault.listVaultSecrets'],
    ...['vault.storeInternVaultSecret', 'vault.storeVaultSecret'],
  ],
};

/** The names of all methods that the SDK has, through its groups (`beta.responses.send`). */
export function methodsOfSdk(): string[] {
  return methodsOf(new OpenRouter({ apiKey: '' }), '');
}

function methodsOf(group: object, prefix: string): string[] {
  const prototype: unknown = Object.getPrototypeOf(group);
  if (typeof prototype !== 'object' || prototype === null) return [];
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { get, value }]) => {
    if (name === 'constructor') return [];
    if (get === undefined) return typeof value === 'function' ? [`${prefix}${name}`] : [];
    const inner: unknown = get.call(group);
    return typeof inner === 'object' && inner !== null ? methodsOf(inner, `${prefix}${name}.`) : [];
  });
}
