import type { Announcements } from '@dnd-kit/core';
import { moveEntry, positionIn, positionText } from './order.js';

/** How a key is moved with the keyboard alone. */
export const INSTRUCTIONS =
  'To move a key, press Space, then the up and down arrow keys; Space again puts it down, Escape leaves it where it was. Past shared capacity it changes its section.';

/** What screen readers say while a key is dragged. */
export function announcements(order: readonly string[], nameOf: (id: string) => string): Announcements {
  const at = (id: string, over: string) =>
    `${nameOf(id)}: ${positionText(positionIn(moveEntry(order, order.indexOf(id), order.indexOf(over)), id))}.`;
  return {
    onDragStart: ({ active }) => `Picked up ${at(String(active.id), String(active.id))}`,
    onDragOver: ({ active, over }) => (over === null ? undefined : at(String(active.id), String(over.id))),
    onDragEnd: ({ active, over }) =>
      over === null
        ? `${nameOf(String(active.id))} stays where it was.`
        : `Put down ${at(String(active.id), String(over.id))}`,
    onDragCancel: ({ active }) => `${nameOf(String(active.id))} stays where it was.`,
  };
}
