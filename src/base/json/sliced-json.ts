/** JSON that is written as bytes in slices, since it may be long. */
export abstract class SlicedJson {
  /** Its bytes, in pieces; yields where it may be interrupted. */
  abstract bytes(): Generator<void, readonly Buffer[]>;
}
