/** How far a dragged item, or one that makes room for it, is from its place. */
interface Shift {
  readonly x: number;
  readonly y: number;
}

/** The shift as CSS. */
export function shiftOf(shift: Shift | null): string | undefined {
  return shift === null ? undefined : `translate3d(${Math.round(shift.x)}px, ${Math.round(shift.y)}px, 0)`;
}
