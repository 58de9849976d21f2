import type { ByokAnswer } from '../base/byok-answer.js';
import { usdText } from '../base/decimal.js';
import { type LimitTraffic, missesTraffic, spentNanoUsd, type Traffic } from '../base/traffic.js';
import { SwitchField } from './fields.js';
import { Badge, Notice } from './notices.js';

interface ByokSpendFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly answer: ByokAnswer;
  readonly onChange: (includesByok: boolean) => void;
}

/** Asks whether own-key spend counts toward a limit, and warns where the answer leaves nothing to count. */
export function ByokSpendField({ label, name, hint = '', answer, onChange }: ByokSpendFieldProps) {
  const { includesByok, hasLimit, traffic, answered } = answer;
  return (
    <>
      <SwitchField
        label={label}
        name={name}
        hint={`${trafficText(traffic)} ${hint}`.trim()}
        value={includesByok}
        onChange={(value) => {
          answered();
          onChange(value);
        }}
      />
      {hasLimit && !includesByok && <MissedTraffic whose={traffic.whose} of={traffic} />}
    </>
  );
}

/** Warns of a limit without own keys where nothing else was spent in the last days. */
export function MissedTraffic({ whose, of }: Pick<LimitTraffic, 'whose'> & { readonly of: Traffic }) {
  if (!missesTraffic(of)) return null;
  return (
    <Notice>
      Without BYOK spend this counts {usdText(of.sharedNanoUsd)} of the {usdText(spentNanoUsd(of))} that the{' '}
      {whose} spent in the last 7 days: the rest went over own keys.
    </Notice>
  );
}

/** The same in a list. */
export function MissedTrafficBadge({ of }: { readonly of: Traffic | undefined }) {
  if (of === undefined || !missesTraffic(of)) return null;
  return (
    <span className="badges">
      <Badge tone="warning">BYOK spend is not counted</Badge>
    </span>
  );
}

function trafficText(traffic: LimitTraffic): string {
  const spent = spentNanoUsd(traffic);
  if (traffic.isPending) return '';
  if (spent > 0n) {
    return `The ${traffic.whose} spent ${usdText(spent)} in the last 7 days, ${usdText(traffic.byokNanoUsd)} of it over own keys, at list price.`;
  }
  return traffic.hasByokKeys
    ? 'Nothing was spent in the last 7 days; own keys are stored.'
    : 'Nothing was spent in the last 7 days, and no own keys are stored.';
}
