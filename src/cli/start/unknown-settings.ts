import { nearestNames } from '../../base/nearest.js';
import { statedSettings } from '../../config.js';

/** A variable that is named like ours and that nothing reads. */
export interface UnknownSetting {
  readonly variable: string;
  /** The nearest name of one that is read; null where none is near. */
  readonly nearest: string | null;
}

/** The variables of the environment that somebody may have mistyped. */
export function unknownSettings(): UnknownSetting[] {
  const { unknown, known } = statedSettings();
  return unknown.map((variable) => ({ variable, nearest: nearestNames(variable, known)[0] ?? null }));
}
