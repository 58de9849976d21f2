import type { RuleContext } from '../../support/strict/native/rule.js';

/** A body that a rule refuses, and with what beside it. */
export interface Example {
  readonly body: object;
  readonly context?: Partial<RuleContext>;
}

/** By what rules refuse; each is a body that only that rule need refuse. */
export type Examples = Readonly<Record<string, Example>>;

export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
export const JPEG = Buffer.from('ffd8ffe000104a46494600010101', 'hex').toString('base64');
