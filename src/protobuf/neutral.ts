import type { JsonObject } from '@bufbuild/protobuf';
import { isJsonObject } from './members.js';

/** Puts neutral members where the object has none, or null; those of a member that is an object into that object. */
export function addNeutralMembers(target: JsonObject, neutral: JsonObject): void {
  for (const [name, value] of Object.entries(neutral)) {
    const present = target[name];
    if (present === undefined || present === null) target[name] = value;
    else if (isJsonObject(present) && isJsonObject(value)) addNeutralMembers(present, value);
  }
}
