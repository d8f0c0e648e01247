/** Listeners to durable changes of orders. */
import type { Effect } from '../../../core/ramp/order.ts';
import type { Order } from './order-row.ts';

export type OrderListener = (order: Order, effects: readonly Effect[]) => unknown;

export class OrderChanges {
  private readonly listeners: OrderListener[] = [];

  listen(listener: OrderListener): void {
    this.listeners.push(listener);
  }

  readonly tell: OrderListener = (order, effects) => {
    for (const listener of this.listeners) listener(order, effects);
  };
}
