import { create } from '@bufbuild/protobuf';
import { type Receipt as ReceiptMessage, ReceiptSchema } from '../../../gen/byway/v1/generations_pb.js';
import { isoTimestamp } from '../../base/clock.js';
import { formatDecimal, formatNano } from '../../base/money.js';
import type { Receipt } from '../../inference/ports/receipt.js';
import { aboveAllowance } from '../../ledger/fee.js';
import { defined } from './defined.js';

export function receiptMessage(receipt: Receipt): ReceiptMessage {
  const { generation, terms, lines, rounding, listNanoUsd, ledgerEntries } = receipt;
  const { provider, endpoint, countedBy, byokKeyId, usageNanoUsd } = generation;
  const isUnbilled = terms?.unbilled === true;
  return create(ReceiptSchema, {
    generationId: generation.id,
    at: isoTimestamp(generation.createdAt),
    model: generation.model,
    isByok: byokKeyId !== null,
    lines: lines.map(({ kind, quantity, unitPrice, basePrice, amount, includes }) => ({
      kind,
      quantity,
      unitPriceUsd: formatDecimal(unitPrice),
      basePriceUsd: formatDecimal(basePrice),
      amountUsd: formatDecimal(amount),
      includes: includes.map((part) => ({ kind: part.kind, quantity: part.quantity })),
    })),
    overridesApplied: [...(terms?.overrides ?? [])],
    multiplier: terms?.multiplier ?? '1',
    discount: terms?.discount ?? '0',
    listPriceUsd: formatNano(listNanoUsd),
    roundingUsd: formatDecimal(rounding),
    chargedUsd: formatNano(isUnbilled ? 0n : usageNanoUsd),
    ledgerEntries: ledgerEntries.map(({ id, kind, amountNanoUsd }) => ({
      id,
      kind,
      amountUsd: formatNano(amountNanoUsd),
    })),
    unbilled: isUnbilled,
    ...defined({ provider, endpoint, countedBy, priceMode: terms?.mode ?? null, fee: feeOf(receipt) }),
  });
}

function feeOf({ generation, terms, allowanceLeftNanoUsd: left, listNanoUsd }: Receipt) {
  if (terms?.fee === undefined) return null;
  return {
    rate: terms.fee,
    onUsd: formatNano(left === null ? 0n : aboveAllowance(left, listNanoUsd)),
    amountUsd: formatNano(generation.byokFeeNanoUsd),
    ...defined({ allowanceLeftBeforeUsd: left === null ? null : formatNano(left) }),
  };
}
