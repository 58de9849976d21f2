import { isObject } from '../json.js';
import { ownersText } from './owners-objects.js';
import { type AllowedShape, isScalar, leafOfText, shapeOfType } from './shape.js';

/**
 * Whether a value has nothing beyond its shape, and names no object of the credential's owner. Nearly all requests are
 * like this. Allocates nothing, since it is called for every request.
 */
export function isPlain(value: unknown, shape: AllowedShape): boolean {
  if (shape === 'opaque' || value === undefined || value === null) return true;
  if (shape === 'scalar') return isScalar(value);
  if (shape === 'word') return typeof value === 'string';
  if (shape === 'owned' || shape === 'place') return false;
  if (typeof value === 'string') return ownersText(value, leafOfText(shape)) === undefined;
  if (Array.isArray(value)) return value.every((element) => isPlain(element, shape));
  if (!isObject(value)) return true;
  if (shape === 'address' || shape === 'words') return false;
  if (shape.kind === 'tagged') {
    const known = shapeOfType(shape, value.type);
    return known !== null && isPlain(value, known);
  }
  for (const name in value) {
    const known = shape.members.get(name);
    if (known === undefined || !isPlain(value[name], known)) return false;
  }
  return true;
}
