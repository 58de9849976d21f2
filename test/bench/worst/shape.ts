/** Requests of a kind, of any size. */
import type { RawRequest } from './request.js';

/** Of it there may be more and more, up to what the bound on bodies admits. */
export interface Shape {
  readonly name: string;
  readonly most: number;
  make(count: number): RawRequest;
}

/** The bounds on bodies, by the kind of traffic. */
export const INFERENCE_BYTES = 32 * 1024 * 1024;
export const ADMINISTRATION_BYTES = 1024 * 1024;
