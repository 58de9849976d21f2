/** Which endpoint and which key serve a batch: the first of the plan's BYOK attempts that can (spec 4.5, 4.6). */
import { invalid, type Problem, type Violation } from '../base/problem.js';
import type { ByokKey } from '../byok/types.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Endpoint } from '../catalog/types.js';
import type { AvailableFunds } from '../ledger/admission.js';
import type { Payment } from '../ledger/allowance.js';
import type { Payer } from '../ledger/payer.js';
import type { FallbackChain } from '../routing/plan/fallback-chain.js';
import { noPreferences } from '../routing/plan/preferences.js';
import { refusal } from '../routing/refusal.js';
import type { Attempt } from '../routing/types.js';
import type { BatchDependencies } from './dependencies.js';
import { KEY_FIELD } from './failure.js';
import type { LineForm } from './ports.js';
import type { BatchForm } from './staging.js';

/** What serves a batch. */
export interface EndpointSelection {
  readonly attempt: Attempt;
  readonly key: ByokKey;
  readonly form: LineForm;
}

/** What a choice depends on. */
export interface EndpointRequest {
  readonly payer: Payer;
  readonly payment: Payment;
  /** Of the host that the submission came in through. */
  readonly region: string;
  readonly model: string;
  /** null = whichever. */
  readonly byokKeyId: string | null;
}

type FormOf = BatchDependencies['upstream']['formOf'];

/** The form in which the model can be asked in batches at all; undefined when it can't. */
export function formOfModel(catalog: Catalog, name: string, formOf: FormOf): BatchForm | undefined {
  const model = catalog.resolve(name)?.model;
  for (const endpoint of model?.endpoints ?? []) {
    const form = isOfPlatformC(catalog, endpoint) ? formOf(endpoint) : undefined;
    if (form !== undefined) return { form, endpoint, modelReasoning: model?.reasoning ?? null };
  }
  return undefined;
}

/** The fault of a model that is known and can't be asked in batches. */
export function modelViolations(catalog: Catalog, name: string, formOf: FormOf): Violation[] {
  if (catalog.resolve(name) === undefined || formOfModel(catalog, name, formOf) !== undefined) return [];
  return [
    { field: 'model', rule: 'batch', message: 'has no endpoint at platform C (google-vertex) for batches' },
  ];
}

/**
 * Data policies, guardrails, regions and the keys' own filters count as for any request. Throws a Problem: 400 for an
 * unknown model and for a key that can't be used, else what a request is told that cannot be routed.
 */
export async function selectEndpoint(
  { route, upstream, catalogs }: Pick<BatchDependencies, 'route' | 'upstream' | 'catalogs'>,
  { payer, payment, region, model, byokKeyId }: EndpointRequest,
  funds: AvailableFunds,
): Promise<EndpointSelection> {
  const chain = await route(
    { caller: payer, region, body: {}, model, models: null, preferences: noPreferences, promptTokens: null },
    funds,
  );
  for (const attempt of chain.attempts) {
    const { key, provider, endpoint } = attempt;
    if (key === null || provider.adapter !== 'google-vertex') continue;
    const form = upstream.formOf(endpoint);
    if (form !== undefined && (byokKeyId === null || key.id === byokKeyId)) return { attempt, key, form };
  }
  throw refusalOf(chain, { byokKeyId, payment }, await catalogs.current());
}

function isOfPlatformC({ providers }: Catalog, { provider }: Pick<Endpoint, 'provider'>): boolean {
  return providers.get(provider)?.adapter === 'google-vertex';
}

function refusalOf(
  chain: FallbackChain,
  { byokKeyId, payment }: Pick<EndpointRequest, 'byokKeyId' | 'payment'>,
  catalog: Catalog,
): Problem {
  if (chain.refusedRegion !== null) return refusal(chain, payment);
  const plans = chain.plans.map(({ modelId, plan }) => {
    const excluded = plan.excluded.filter((one) =>
      byokKeyId === null
        ? one.byokKeyId !== null && isOfPlatformC(catalog, one)
        : one.byokKeyId === byokKeyId,
    );
    return { modelId, plan: { ...plan, excluded } };
  });
  const [first] = plans.flatMap(({ plan }) => plan.excluded);
  if (first === undefined) return invalid([NO_KEY]);
  if (byokKeyId === null || first.reason === 'insufficient_credits') {
    return refusal({ ...chain, plans }, payment);
  }
  return invalid([{ field: KEY_FIELD, rule: first.reason, message: first.detail }]);
}

const NO_KEY: Violation = {
  field: KEY_FIELD,
  rule: 'required',
  message: 'no BYOK key of platform C (google-vertex) in the workspace can serve the model',
};
