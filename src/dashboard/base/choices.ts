import { DataCollection, ProviderSort } from '../../../gen/byway/v1/chat_pb.js';
import { LimitReset } from '../../../gen/byway/v1/common_pb.js';
import type { Option } from './option.js';

/** An enum of the contract as the options of a select: the option's value, the enum's value, the label. */
export interface Choice<E> {
  readonly options: readonly Option[];
  /** The enum's value of an option; undefined for the option that leaves the field unset. */
  readonly read: (option: string) => E | undefined;
  /** The option of an enum's value. */
  readonly show: (value: E | undefined) => string;
  /** The label of an enum's value. */
  readonly label: (value: E | undefined) => string;
}

/** When spending starts again from zero. */
export const RESETS = choice('Never', [
  [LimitReset.DAILY, 'Every day'],
  [LimitReset.WEEKLY, 'Every Monday'],
  [LimitReset.MONTHLY, 'Every month'],
]);

/** Whether prompts may be collected. */
export const COLLECTION = choice('Not decided here', [
  [DataCollection.ALLOW, 'Allow'],
  [DataCollection.DENY, 'Deny'],
]);

/** What shared endpoints are sorted by. */
export const SORTS = choice('By default', [
  [ProviderSort.PRICE, 'Price'],
  [ProviderSort.THROUGHPUT, 'Throughput'],
  [ProviderSort.LATENCY, 'Latency'],
]);

/** A flag that may also be unset. */
export const MAYBE = choice<boolean>('Not set', [
  [true, 'Yes'],
  [false, 'No'],
]);

function choice<E>(unset: string, values: readonly (readonly [E, string])[]): Choice<E> {
  const show = (value: E | undefined) => (value === undefined ? '' : String(value));
  return {
    options: [
      { value: '', label: unset },
      ...values.map(([value, label]) => ({ value: String(value), label })),
    ],
    read: (option) => values.find(([value]) => String(value) === option)?.[0],
    show,
    label: (value) => values.find(([known]) => known === value)?.[1] ?? unset,
  };
}
