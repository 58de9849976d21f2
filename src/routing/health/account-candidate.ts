/** A candidate, as an account meets it. */
export interface AccountCandidate {
  readonly accountId: string;
  readonly endpointId: string;
  /** null = on shared capacity. */
  readonly byokKeyId: string | null;
}

/** Of the candidate, whichever account meets it. Unambiguous: identifiers of keys have no spaces. */
export function candidateName({ endpointId, byokKeyId }: Omit<AccountCandidate, 'accountId'>): string {
  return byokKeyId === null ? ` ${endpointId}` : `${byokKeyId} ${endpointId}`;
}
