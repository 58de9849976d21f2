import type { Announcements } from '@dnd-kit/core';
import { moved, placeIn, placeText } from './order.js';

/** How a key is moved with the keyboard alone. */
export const INSTRUCTIONS =
  'To move a key, press Space, then the up and down arrow keys; Space again puts it down, Escape leaves it where it was. Past shared capacity it changes its section.';

/** What screen readers say while a key is dragged. */
export function announcements(order: readonly string[], nameOf: (id: string) => string): Announcements {
  const placeOver = (id: string, over: string) =>
    placeText(placeIn(moved(order, order.indexOf(id), order.indexOf(over)), id));
  return {
    onDragStart: ({ active }) =>
      `Picked up ${nameOf(String(active.id))}: ${placeText(placeIn(order, String(active.id)))}.`,
    onDragOver: ({ active, over }) =>
      over === null ? undefined : `${placeOver(String(active.id), String(over.id))}.`,
    onDragEnd: ({ active, over }) =>
      over === null
        ? `${nameOf(String(active.id))} stays where it was.`
        : `${nameOf(String(active.id))} was put down: ${placeOver(String(active.id), String(over.id))}.`,
    onDragCancel: ({ active }) => `${nameOf(String(active.id))} stays where it was.`,
  };
}
