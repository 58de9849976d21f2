/**
 * Chooses the endpoint and the key of a batch: the plan's first BYOK attempt that supports batches. See
 * docs/batches.md#which-key.
 */
import { invalid, type Problem, type Violation } from '../base/problem.js';
import { runInSlices } from '../base/time-slices.js';
import type { ByokKey } from '../byok/types.js';
import type { Catalog } from '../catalog/assembled/catalog.js';
import type { Endpoint } from '../catalog/types.js';
import { RequestReach } from '../formats/shared-capacity/reach.js';
import { NO_USES } from '../formats/shared-capacity/uses.js';
import type { AvailableFunds } from '../ledger/admission.js';
import type { Payment } from '../ledger/fee.js';
import type { Payer } from '../ledger/payer.js';
import { type WholeChain, wholeChain } from '../routing/plan/plan.js';
import { noPreferences } from '../routing/plan/preferences.js';
import type { Refuse } from '../routing/router/refusal.js';
import { ChatRouteFacts } from '../routing/router/request-facts.js';
import type { Attempt } from '../routing/types.js';
import type { BatchDependencies } from './dependencies.js';
import { KEY_FIELD } from './failure.js';
import { hasBatches } from './has-batches.js';
import type { LineForm } from './ports.js';
import type { BatchForm } from './staging.js';

export interface EndpointSelection {
  readonly attempt: Attempt;
  readonly key: ByokKey;
  readonly form: LineForm;
}

export interface EndpointRequest {
  readonly payer: Payer;
  readonly payment: Payment;
  /** The region of the host that the submission came in through. */
  readonly region: string;
  /** Root of absolute URLs, without a trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
  /** null = any. */
  readonly byokKeyId: string | null;
}

type FormOf = BatchDependencies['upstream']['formOf'];

/** The first endpoint of the model that supports batches, with its line format; undefined if there is none. */
export function formOfModel(catalog: Catalog, name: string, formOf: FormOf): BatchForm | undefined {
  const model = catalog.resolve(name)?.model;
  for (const endpoint of model?.endpoints ?? []) {
    const form = isWithBatches(catalog, endpoint) ? formOf(endpoint) : undefined;
    if (form !== undefined) return { form, endpoint, modelReasoning: model?.reasoning ?? null };
  }
  return undefined;
}

/** The violation of a known model that does not support batches. Unknown models are reported by routing. */
export function modelViolations(catalog: Catalog, name: string, formOf: FormOf): Violation[] {
  if (catalog.resolve(name) === undefined || formOfModel(catalog, name, formOf) !== undefined) return [];
  return [
    {
      field: 'model',
      rule: 'batch',
      message: 'has no endpoint at Google Vertex AI (google-vertex) for batches',
    },
  ];
}

/**
 * Applies data policies, guardrails, regions and the keys' own filters as for any request. Throws a Problem: 400 for
 * an unknown model and for a key that can't be used, else the error of a request that can't be routed.
 */
export async function selectEndpoint(
  {
    route,
    refuse,
    upstream,
    catalogs,
  }: Pick<BatchDependencies, 'route' | 'refuse' | 'upstream' | 'catalogs'>,
  { payer, payment, region, baseUrl, model, byokKeyId }: EndpointRequest,
  funds: AvailableFunds,
): Promise<EndpointSelection> {
  const chain = await route(
    {
      caller: payer,
      region,
      facts: new ChatRouteFacts({}, { model, models: null }),
      preferences: noPreferences,
      promptTokens: null,
      session: null,
      // Whatever a request reaches beyond the model of the batch is refused with that request.
      reach: new RequestReach({}),
      uses: NO_USES,
    },
    funds,
  );
  for (const attempt of chain.attempts) {
    const { key, provider, endpoint } = attempt;
    if (key === null || !hasBatches(provider)) continue;
    const form = upstream.formOf(endpoint);
    if (form !== undefined && (byokKeyId === null || key.id === byokKeyId)) return { attempt, key, form };
  }
  const refused = { caller: payer, payment, baseUrl };
  throw await refusalOf(
    await runInSlices(wholeChain(chain)),
    byokKeyId,
    (left) => refuse(left, refused),
    await catalogs.current(),
  );
}

function isWithBatches({ providers }: Catalog, { provider }: Pick<Endpoint, 'provider'>): boolean {
  return hasBatches(providers.get(provider));
}

async function refusalOf(
  chain: WholeChain,
  byokKeyId: string | null,
  refuse: (chain: WholeChain) => ReturnType<Refuse>,
  catalog: Catalog,
): Promise<Problem> {
  if (chain.refusedRegion !== null) return refuse(chain);
  const plans = chain.plans.map(({ modelId, plan }) => {
    const excluded = plan.excluded.filter((one) =>
      byokKeyId === null
        ? one.byokKeyId !== null && isWithBatches(catalog, one)
        : one.byokKeyId === byokKeyId,
    );
    return { modelId, plan: { ...plan, excluded } };
  });
  const [first] = plans.flatMap(({ plan }) => plan.excluded);
  if (first === undefined) return invalid([NO_KEY]);
  if (byokKeyId === null || first.reason === 'insufficient_credits') {
    return refuse({ ...chain, plans });
  }
  return invalid([{ field: KEY_FIELD, rule: first.reason, message: first.detail }]);
}

const NO_KEY: Violation = {
  field: KEY_FIELD,
  rule: 'required',
  message: 'no BYOK key of Google Vertex AI (google-vertex) in the workspace can serve the model',
};
