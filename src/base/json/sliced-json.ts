/** JSON that is written as bytes piece by piece, since it may be long. */
export abstract class SlicedJson {
  /** Whether all pieces may be made at once. */
  abstract readonly isShort: boolean;
  /** Its bytes, each piece within milliseconds. */
  abstract pieces(): Iterable<Buffer>;
}
