import { useState } from 'react';
import { type LimitScope, type LimitTraffic, shouldCountByok, useLimitTraffic } from './traffic.js';

interface Question {
  /** The answer that is stored, or was given in the form. */
  readonly includesByok: boolean;
  /** Whether a limit is stored, to which that answer belongs. */
  readonly hadLimit: boolean;
  /** Whether the form has a limit. */
  readonly hasLimit: boolean;
  readonly scope: LimitScope;
}

/** Whether own-key spend counts toward the limit of a form. */
export interface ByokAnswer {
  readonly includesByok: boolean;
  readonly hasLimit: boolean;
  readonly traffic: LimitTraffic;
  /** Whether the answer depends on traffic that is not read yet: the form must wait. */
  readonly isPending: boolean;
  /** Call it when the user answers. */
  readonly answered: () => void;
}

/** A limit that is new has the answer that fits the traffic until the user gives one; that of a stored limit stays. */
export function useByokAnswer({ includesByok, hadLimit, hasLimit, scope }: Question): ByokAnswer {
  const [isAnswered, setAnswered] = useState(false);
  const traffic = useLimitTraffic(scope);
  const isPreset = hasLimit && !hadLimit && !isAnswered;
  return {
    includesByok: includesByok || (isPreset && shouldCountByok(traffic)),
    hasLimit,
    traffic,
    isPending: isPreset && traffic.isPending,
    answered: () => setAnswered(true),
  };
}
