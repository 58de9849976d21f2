/** Whether a column's integers stay bigint; every other integer is a number. */
export function isMoney(column: string): boolean {
  return column.endsWith('_nano_usd');
}
