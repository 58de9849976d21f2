import type { Bind } from '../../base/use-form.js';
import { SelectField } from '../../ui/fields.js';

const CHOICES = [
  { value: '', label: 'Off' },
  { value: '60', label: 'A minute' },
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
];

/** For how long answers to the key's chats are given again. */
export function CacheField({ bind, stored = '' }: CacheFieldProps) {
  const isListed = CHOICES.some(({ value }) => value === stored);
  return (
    <SelectField
      label="Answers from the cache"
      {...bind('cacheTtl')}
      hint="The very same chat is answered again for nothing, for this long. Requests may say otherwise."
      options={isListed ? CHOICES : [...CHOICES, { value: stored, label: `${stored} seconds` }]}
    />
  );
}

interface CacheFieldProps {
  readonly bind: Bind<{ readonly cacheTtl: string }>;
  /** Seconds that the key has already. */
  readonly stored?: string;
}

/** The choice as a message field. */
export function cacheTtlField(chosen: string): number | undefined {
  return chosen === '' ? undefined : Number(chosen);
}
