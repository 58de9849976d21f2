/** A subdivision of an account that API keys and BYOK keys belong to. */
export interface Workspace {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Unique within the account. */
  readonly slug: string;
  readonly description: string | null;
  /** Every account has exactly one default workspace, used when a call names none. */
  readonly isDefault: boolean;
  /** The guardrail that applies to all traffic of the workspace. */
  readonly defaultGuardrailId: string;
  /** Whether BYOK spend counts toward all budgets of the workspace. */
  readonly includeByokInBudgets: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}
