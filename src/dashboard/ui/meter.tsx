/** How much of something is used up, for the eye; the exact figures stand beside it. */
export function Meter({
  label,
  value,
  max,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}) {
  const isSpent = value >= max;
  return (
    <progress
      className={isSpent ? 'meter spent' : 'meter'}
      aria-label={label}
      value={isSpent ? 1 : value / max}
      max={1}
    />
  );
}
