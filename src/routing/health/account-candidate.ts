/** A candidate, for the account that meets its failures. */
export interface AccountCandidate {
  readonly accountId: string;
  readonly endpointId: string;
  /** null = on shared capacity. */
  readonly byokKeyId: string | null;
}

/** The name of the candidate, the same for all accounts. Unambiguous, since identifiers of keys have no spaces. */
export function candidateName({ endpointId, byokKeyId }: Omit<AccountCandidate, 'accountId'>): string {
  return byokKeyId === null ? ` ${endpointId}` : `${byokKeyId} ${endpointId}`;
}
