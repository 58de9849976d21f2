import { type DescEnum, type DescEnumValue, type EnumShape, getOption } from '@bufbuild/protobuf';
import { value as valueOption } from '../../gen/byway/options/v1/options_pb.js';

/** How an enum value is spelled in REST JSON; null is a value of some enums. */
export type Spelling = string | null;

interface Spellings {
  /** What answers have in place of the spelling. */
  readonly numbers: ReadonlyMap<number, number>;
  readonly byNumber: ReadonlyMap<number, Spelling>;
  readonly bySpelling: ReadonlyMap<Spelling, number>;
}

const cache = new WeakMap<DescEnum, Spellings>();

/**
 * The value's spelling; null for the zero value, for a number without a name and for the value that is spelled null.
 */
export function enumSpelling<Desc extends DescEnum>(desc: Desc, value: EnumShape<Desc>): Spelling {
  return spellingsOf(desc).byNumber.get(value) ?? null;
}

/** What an answer has for the value: its number where the contract gives it one, else its spelling. */
export function answeredEnum<Desc extends DescEnum>(desc: Desc, value: EnumShape<Desc>): Spelling | number {
  return spellingsOf(desc).numbers.get(value) ?? enumSpelling(desc, value);
}

/** What answers have for the values of the enum, in the order of the proto file. */
export function answeredEnums(desc: DescEnum): readonly (Spelling | number)[] {
  return [...spellingsOf(desc).byNumber.keys()].map((value) => answeredEnum(desc, value));
}

/** The value spelled so; undefined when there is none. The zero value, which means unset, has no spelling. */
export function enumNumber<Desc extends DescEnum>(
  desc: Desc,
  spelling: Spelling,
): EnumShape<Desc> | undefined {
  // The numbers come from the descriptor of this very enum, so they are values of its TypeScript type.
  return spellingsOf(desc).bySpelling.get(spelling) as EnumShape<Desc> | undefined;
}

/** Every spelling of the enum in the order of the proto file. */
export function enumSpellings(desc: DescEnum): readonly Spelling[] {
  return [...spellingsOf(desc).bySpelling.keys()];
}

/** The message of a violation for an unknown word. */
export function enumWanted(desc: DescEnum): string {
  return `must be one of ${enumSpellings(desc).map(String).join(', ')}`;
}

/** The value's spelling, for enums and values that always have one. Throws a TypeError for a value without. */
export function spellEnum<Desc extends DescEnum>(desc: Desc, value: EnumShape<Desc>): string {
  const spelling = enumSpelling(desc, value);
  if (spelling === null) throw new TypeError(`${desc.typeName} has no spelling for ${String(value)}`);
  return spelling;
}

function spellingsOf(desc: DescEnum): Spellings {
  const known = cache.get(desc);
  if (known !== undefined) return known;
  const pairs = desc.values
    .filter((value) => value.number !== 0)
    .map((value) => [value.number, spell(value)] as const);
  const spellings = {
    numbers: new Map(desc.values.flatMap(numberOf)),
    byNumber: new Map(pairs),
    bySpelling: new Map(pairs.map(([number, spelling]) => [spelling, number])),
  };
  if (spellings.bySpelling.size !== pairs.length) {
    throw new Error(`${desc.file.name}.proto: ${desc.toString()}: two values have the same spelling`);
  }
  cache.set(desc, spellings);
  return spellings;
}

function numberOf(value: DescEnumValue): [number, number][] {
  const { number } = getOption(value, valueOption);
  return number === undefined ? [] : [[value.number, number]];
}

function spell(value: DescEnumValue): Spelling {
  const rule = getOption(value, valueOption);
  if (rule.isNull) return null;
  if (rule.spelling !== '') return rule.spelling;
  return value.name.toLowerCase().slice(value.parent.sharedPrefix?.length ?? 0);
}
