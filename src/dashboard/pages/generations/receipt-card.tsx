import { Code, ConnectError } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import type { ReactNode } from 'react';
import {
  GenerationService,
  type Receipt,
  type ReceiptLine,
} from '../../../../gen/byway/v1/generations_pb.js';
import { count, exactUsd, percent, perMillion } from '../../base/decimal.js';
import { Loaded } from '../../ui/loaded.js';
import { Badge, Empty } from '../../ui/notices.js';
import { Card } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';

const LINES: readonly Column<ReceiptLine>[] = [
  { title: 'Billed', cell: (line) => <Billed line={line} /> },
  { title: 'Quantity', isNumber: true, cell: ({ quantity }) => count(quantity) },
  { title: 'List price', isNumber: true, cell: ({ kind, basePriceUsd }) => priceText(kind, basePriceUsd) },
  { title: 'Price', isNumber: true, cell: ({ kind, unitPriceUsd }) => priceText(kind, unitPriceUsd) },
  { title: 'Amount', isNumber: true, cell: ({ amountUsd }) => exactUsd(amountUsd) },
];

/** How the charge of a generation came about. */
export function ReceiptCard({ id }: { readonly id: string }) {
  const query = useQuery(GenerationService.method.getReceipt, { id });
  const isMissing = query.error !== null && ConnectError.from(query.error).code === Code.NotFound;
  return (
    <Card title="Receipt" intro="At the prices of the moment of the request; the lines add up exactly.">
      {isMissing ? (
        <Empty title="No receipt">The request is from before receipts were kept.</Empty>
      ) : (
        <Loaded query={query}>{({ data }) => data !== undefined && <Lines receipt={data} />}</Loaded>
      )}
    </Card>
  );
}

function Lines({ receipt }: { readonly receipt: Receipt }) {
  const { lines } = receipt;
  if (lines.length === 0) return <Empty title="Nothing was billed" />;
  return (
    <div className="receipt">
      <Table caption="Receipt" columns={LINES} rows={lines} keyOf={({ kind }) => kind} />
      <dl className="receipt-sums">
        {sumsOf(receipt).map(([title, value, isTotal = false]) => (
          <div key={title} className={isTotal ? 'total' : undefined}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="badges">
        {termsOf(receipt).map((term) => (
          <Badge key={term}>{term}</Badge>
        ))}
      </p>
    </div>
  );
}

function sumsOf({ fee, isByok, unbilled, ...receipt }: Receipt): [string, string, boolean?][] {
  const isRounded = receipt.roundingUsd !== '0';
  return [
    ...(isRounded ? [['Rounding', exactUsd(receipt.roundingUsd)] satisfies [string, string]] : []),
    [isByok ? 'List price, paid to the provider' : 'List price', exactUsd(receipt.listPriceUsd)],
    ...(fee?.allowanceLeftBeforeUsd === undefined
      ? []
      : [
          ['Free allowance left before', exactUsd(fee.allowanceLeftBeforeUsd)] satisfies [string, string],
          [`Fee of ${percent(fee.rate)} on ${exactUsd(fee.onUsd)}`, exactUsd(fee.amountUsd)] satisfies [
            string,
            string,
          ],
        ]),
    ...(unbilled
      ? []
      : [['Charged', exactUsd(receipt.chargedUsd), true] satisfies [string, string, boolean]]),
  ];
}

/** What made the prices others than those of the list, and how it was counted. */
function termsOf({ priceMode, multiplier, discount, overridesApplied, countedBy }: Receipt): string[] {
  return [
    ...(priceMode === undefined ? [] : [`Mode ${priceMode}`]),
    ...(multiplier === '1' ? [] : [`× ${multiplier}`]),
    ...(discount === '0' ? [] : [`Discount ${percent(discount)}`]),
    ...(overridesApplied.length === 0 ? [] : [`Price overrides ${overridesApplied.join(', ')}`]),
    countedBy === 'estimate' ? 'Estimated in part by the gateway' : 'Counted by the provider',
  ];
}

function Billed({ line: { kind, includes } }: { readonly line: ReceiptLine }): ReactNode {
  return (
    <span className="two-lines">
      <span>{TITLES[kind] ?? kind}</span>
      {includes.length > 0 && (
        <span className="muted">
          with {includes.map((part) => `${count(part.quantity)} ${inWords(part.kind)}`).join(', ')}
        </span>
      )}
    </span>
  );
}

function inWords(kind: string): string {
  return (TITLES[kind] ?? kind).toLowerCase();
}

/** By the name of the price. */
const TITLES: Readonly<Record<string, string>> = {
  prompt: 'Prompt tokens',
  completion: 'Completion tokens',
  request: 'Request',
  image: 'Images of the prompt',
  image_output: 'Images of the answer',
  image_token: 'Image tokens of the prompt',
  image_output_token: 'Image tokens of the answer',
  audio: 'Audio tokens of the prompt',
  audio_output: 'Audio tokens of the answer',
  input_audio_cache: 'Cached audio tokens',
  input_cache_read: 'Cached tokens',
  input_cache_write: 'Cache write tokens',
  input_cache_write_1h: 'Cache write tokens for an hour',
  internal_reasoning: 'Reasoning tokens',
  web_search: 'Web searches',
  web_search_medium: 'Web searches of medium context',
  web_search_high: 'Web searches of large context',
};

const BY_THE_PIECE = [
  'request',
  'image',
  'image_output',
  'web_search',
  'web_search_medium',
  'web_search_high',
];

function priceText(kind: string, usd: string): string {
  return BY_THE_PIECE.includes(kind) ? `${exactUsd(usd)} each` : `${perMillion(usd)} / M`;
}
