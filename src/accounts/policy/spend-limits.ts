import type { SpendLimit } from '../../ledger/limits.js';
import { type Payer, subjects } from '../../ledger/payer.js';
import { windowOf } from '../workspaces/budget.js';
import type { CallerPolicy, GuardrailBudget, GuardrailScope } from './policy.js';

/**
 * The budgets that apply to the payer, each checked separately: those of guardrails, then those of the workspace,
 * shortest interval first. See `docs/money.md#limits-and-budgets`.
 */
export function budgetLimits(
  { guardrailBudgets, workspaceBudgets }: CallerPolicy,
  payer: Payer,
): readonly SpendLimit[] {
  const { budgets, includeByokInBudgets, workspaceId } = workspaceBudgets;
  return [
    ...guardrailBudgets.map((budget) => guardrailLimit(budget, payer)),
    ...budgets.map(
      ({ interval, limitNanoUsd }): SpendLimit => ({
        kind: 'workspace',
        subject: subjects.workspace(workspaceId),
        interval: windowOf(interval),
        includeByok: includeByokInBudgets,
        limitNanoUsd,
        title: null,
      }),
    ),
  ];
}

function guardrailLimit(budget: GuardrailBudget, payer: Payer): SpendLimit {
  const { scope, name, resetInterval, includeByok, limitNanoUsd } = budget;
  return {
    kind: 'guardrail',
    subject: subjectFor(scope, payer),
    interval: resetInterval,
    includeByok,
    limitNanoUsd,
    title: `the guardrail ${JSON.stringify(name)} ${WHOSE[scope]}`,
  };
}

const WHOSE: Record<GuardrailScope, string> = {
  key: 'of this API key',
  member: 'of this member',
  workspace: 'of this workspace',
};

/** The budget of a workspace's default guardrail applies to each member within the workspace. */
function subjectFor(scope: GuardrailScope, payer: Payer): string {
  switch (scope) {
    case 'key':
      return subjects.key(payer.apiKeyHash);
    case 'member':
      return subjects.member(payer.accountId, payer.userId);
    case 'workspace':
      return subjects.workspaceMember(payer.workspaceId, payer.userId);
  }
}
