import { useQuery } from '@connectrpc/connect-query';
import { AccountService } from '../../../gen/byway/v1/accounts_pb.js';

/** Whether this gateway bills; true until it is known. */
export function useIsBilled(): boolean {
  const data = useQuery(AccountService.method.getCredits, {}).data?.data;
  return data === undefined || data.totalCredits !== undefined;
}

/** The title of amounts that are charged to credits or, where nothing is billed, were used on shared capacity. */
export function useChargedTitle(): string {
  return useIsBilled() ? 'Charged' : 'Shared capacity';
}
