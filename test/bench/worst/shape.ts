/** Requests of a kind, of any size. */
import type { RawRequest } from './request.js';

/** A request with so many of something in it. */
export interface Shape {
  readonly name: string;
  /** As many as the bound on bodies admits. */
  readonly most: number;
  make(count: number): RawRequest;
}

/** The bounds on bodies, by the kind of traffic. */
export const INFERENCE_BYTES = 32 * 1024 * 1024;
export const ADMINISTRATION_BYTES = 1024 * 1024;
