/** Whether the integers of a column stay bigint; all others are read as numbers. */
export function isMoney(column: string): boolean {
  return column.endsWith('_nano_usd');
}
