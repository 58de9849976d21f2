import { useQuery } from '@connectrpc/connect-query';
import { AccountService } from '../../../../gen/byway/v1/accounts_pb.js';
import { nanoUsd, usdText } from '../../base/decimal.js';
import { FailureNotice } from '../../ui/notices.js';

/** Credits: top-ups, charges and what is left; where nothing is billed, what was used. */
export function CreditTiles() {
  const credits = useQuery(AccountService.method.getCredits, {});
  const data = credits.data?.data;
  if (credits.error !== null) {
    return <FailureNotice error={credits.error} onRetry={() => void credits.refetch()} />;
  }
  const isUnbilled = data !== undefined && data.totalCredits === undefined;
  const total = data?.totalCredits === undefined ? undefined : nanoUsd(data.totalCredits);
  const used = data === undefined ? undefined : nanoUsd(data.totalUsage);
  if (isUnbilled) {
    return (
      <dl className="tiles">
        <Tile title="Used on shared capacity, at list price" nanoUsd={used} />
      </dl>
    );
  }
  const left = total === undefined || used === undefined ? undefined : total - used;
  return (
    <dl className="tiles">
      <Tile title="Credits left" nanoUsd={left} />
      <Tile title="Paid in" nanoUsd={total} />
      <Tile title="Charged" nanoUsd={used} />
    </dl>
  );
}

function Tile({ title, nanoUsd: amount }: { readonly title: string; readonly nanoUsd: bigint | undefined }) {
  return (
    <div className="tile">
      <dt className="muted">{title}</dt>
      <dd className="tile-value">{amount === undefined ? '…' : usdText(amount)}</dd>
    </div>
  );
}
