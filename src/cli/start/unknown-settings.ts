import { nearestNames } from '../../base/nearest.js';
import { givenSettings } from '../../config/config.js';

/** A variable that begins with `BYWAY_` and that nothing reads. */
export interface UnknownSetting {
  readonly variable: string;
  /** The nearest name of one that is read; null where none is near. */
  readonly nearest: string | null;
}

/** The variables of the environment that may be mistyped. */
export function unknownSettings(): UnknownSetting[] {
  const { unknown, known } = givenSettings();
  return unknown.map((variable) => ({ variable, nearest: nearestNames(variable, known)[0] ?? null }));
}
