/** A bar of how much is used; the exact numbers are beside it. */
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
