import { createContextValues } from '@connectrpc/connect';
import Fastify from 'fastify';
import { expect, onTestFinished } from 'vitest';
import { isoTimestamp } from '../../src/base/clock.js';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { APIS } from '../../src/compose/apis.js';
import type { ManagementKeyPrincipal } from '../../src/identity/principal.js';
import { AnswerCache } from '../../src/rest/answer-cache.js';
import { compileOperations } from '../../src/rest/compile.js';
import { restPlugin } from '../../src/rest/rest-plugin.js';
import { type Caller, callerKey, NOBODY } from '../../src/rpc/caller.js';
import type { ServiceDefinition } from '../../src/rpc/define-service.js';
import { reportErrors } from '../../src/rpc/errors.js';
import { createInProcessTransport } from '../../src/rpc/in-process-transport.js';
import { accountService } from '../../src/rpc/services/account-service.js';
import { guardrailService } from '../../src/rpc/services/guardrail-service.js';
import { workspaceService } from '../../src/rpc/services/workspace-service.js';
import { validateRequests } from '../../src/rpc/validation/validate.js';
import { START } from '../identity/world.js';
import { type Control, createControl } from './control.js';

/** The instant of the clock, as records show it. */
export const NOW = isoTimestamp(START);
/** Any record identifier. */
export const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

/** The account operations over REST and the in-process transport. */
export async function withTransports() {
  const control = await createControl();
  return { control, ...(await openTransports(control)) };
}

/** The answer 400 with exactly these violations. */
export function broken(...rules: [field: string, rule: string][]) {
  const violations = rules.map(([field, rule]) => expect.objectContaining({ field, rule }));
  const metadata = expect.objectContaining({ reason: 'invalid_request', violations });
  return {
    status: 400,
    body: expect.objectContaining({ error: expect.objectContaining({ code: 400, metadata }) }),
  };
}

/** The error answer with this status and reason. */
export function refused(status: number, reason: string) {
  const metadata = expect.objectContaining({ reason });
  return {
    status,
    body: expect.objectContaining({ error: expect.objectContaining({ code: status, metadata }) }),
  };
}

/** A REST answer. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The services behind the interceptor chain, in process and over REST; the caller has a management key. */
async function openTransports(control: Control) {
  const services = servicesOf(control);
  const failures: unknown[] = [];
  const log = { error: (fields: object) => void failures.push(fields) };
  const transport = createInProcessTransport(services, [reportErrors(log), validateRequests(services)]);
  const values = (principal: ManagementKeyPrincipal) => {
    const caller: Caller = { ...NOBODY, principal };
    return createContextValues().set(callerKey, caller);
  };
  const server = Fastify();
  onTestFinished(() => server.close());
  await server.register(restPlugin, {
    pingMs: 0,
    apis: APIS,
    answers: new AnswerCache(),
    operations: compileOperations(services.map(({ service }) => service)),
    transport,
    contextValues: () => values(control.mine.principal),
    aliases: new Map(),
  });
  const rest = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer> => {
    const url = `/api/v1${path}`;
    const answer = await server.inject(body === undefined ? { method, url } : { method, url, payload: body });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { rest, transport, contextValues: values(control.mine.principal), failures };
}

function servicesOf(control: Control): readonly ServiceDefinition[] {
  const { credits, preferences, activity } = control;
  const catalogs = { current: async () => createCatalog({ providers: [], models: [] }, 1) };
  const account = accountService({
    ...control.world.clients,
    credits,
    preferences,
    activity,
    catalogs,
    members: { listAccountMembers: async () => ({ records: [], totalCount: 0 }) },
    runs: { list: async () => ({ runs: [], totalCount: 0, isTotalExact: true }) },
  });
  return [account, guardrailService({ ...control, catalogs }), workspaceService(control)];
}
