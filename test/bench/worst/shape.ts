/** Requests of a kind, of any size. */
import type { RawRequest } from './request.js';

/** A request with so many of something in it. */
export interface Shape {
  readonly name: string;
  /** As many as the max body size allows. */
  readonly maxCount: number;
  make(count: number): RawRequest;
}

/** Max body sizes, by traffic class. */
export const INFERENCE_BYTES = 32 * 1024 * 1024;
export const ADMINISTRATION_BYTES = 1024 * 1024;
