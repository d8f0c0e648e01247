/**
 * A queue that gives each client the same share of time, regardless of the number and duration of
 * its requests; a client's share is divided equally between its connections.
 */
import { fail } from '../../core/base/errors.ts';
import { Lru } from '../../core/base/lru.ts';
import { Turns } from '../../core/base/turns.ts';

/** The origin of a request: a client, and one of its connections. */
export interface Asker {
  readonly client: string;
  readonly connection: number;
}

export interface QueueLimits {
  /** Maximum number of waiting requests of one client. */
  readonly perClient: number;
  /** Maximum number for all clients together. */
  readonly total: number;
}

/**
 * Smaller differences of the served time do not count: a thread may wait as long for a processor,
 * and the next request of that connection would wait until all others have used as much.
 */
const TOLERANCE_MS = 50;
/** A request that takes longer than this makes its client slow, until a shorter one has run. */
const SLOW_MS = 100;
const SLOW_CLIENTS_MAX = 1_000;

interface Client<T> {
  readonly turns: Turns<number>;
  /** Waiting requests by connection; no list is empty. */
  readonly waiting: Map<number, T[]>;
  count: number;
  running: number;
}

export class FairQueue<T extends { readonly asker: Asker }> {
  private readonly limits: QueueLimits;
  private readonly turns = new Turns<string>(TOLERANCE_MS);
  private readonly clients = new Map<string, Client<T>>();
  private readonly slow = new Lru<string, true>(SLOW_CLIENTS_MAX);
  private waiting = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.waiting;
  }

  /** Throws QUEUE_FULL. */
  push(item: T): void {
    const { client: name, connection } = item.asker;
    const { perClient, total } = this.limits;
    const found = this.clients.get(name);
    if (this.waiting >= total)
      throw fail('QUEUE_FULL', `more than ${total} requests are waiting: ask again later`);
    if (found && found.count >= perClient)
      throw fail(
        'QUEUE_FULL',
        `more than ${perClient} requests of this client are waiting: ask for less at once`,
      );
    const client = found ?? {
      turns: new Turns(TOLERANCE_MS),
      waiting: new Map(),
      count: 0,
      running: 0,
    };
    this.clients.set(name, client);
    this.itemsOf(client, connection).push(item);
    this.enter(client, item);
  }

  /** Takes back a request that was not run after all: it is the next one of its connection. */
  putBack(item: T): void {
    const client = this.clients.get(item.asker.client)!;
    client.running--;
    this.itemsOf(client, item.asker.connection).unshift(item);
    this.enter(client, item);
  }

  /**
   * The next request for which `mayRun` is true; undefined when there is none. It counts as running
   * until `served` is called.
   */
  next(mayRun: (item: T) => boolean = () => true): T | undefined {
    for (const name of this.turns.order()) {
      const client = this.clients.get(name)!;
      for (const connection of client.turns.order()) {
        const item = client.waiting.get(connection)!.find(mayRun);
        if (!item) continue;
        client.running++;
        this.take(client, item);
        client.turns.again(connection);
        this.turns.again(name);
        return item;
      }
    }
    return undefined;
  }

  /** Number of running requests of a slow client; 0 for other clients. */
  runningOfSlow(client: string): number {
    return this.slow.has(client) ? (this.clients.get(client)?.running ?? 0) : 0;
  }

  /** Reports that a request has ended, after this time. */
  served({ asker }: T, ms: number): void {
    const client = this.clients.get(asker.client);
    if (!client) return;
    if (ms > SLOW_MS) this.slow.set(asker.client, true);
    else this.slow.delete(asker.client);
    this.turns.charge(asker.client, ms);
    client.turns.charge(asker.connection, ms);
    client.running--;
    this.forgetIfIdle(asker.client, client);
  }

  /** Removes a waiting request; false: it does not wait. */
  remove(item: T): boolean {
    const client = this.clients.get(item.asker.client);
    if (!client?.waiting.get(item.asker.connection)?.includes(item)) return false;
    this.take(client, item);
    this.forgetIfIdle(item.asker.client, client);
    return true;
  }

  private itemsOf({ waiting }: Client<T>, connection: number): T[] {
    const items = waiting.get(connection) ?? [];
    waiting.set(connection, items);
    return items;
  }

  private enter(client: Client<T>, { asker }: T): void {
    client.turns.enter(asker.connection);
    this.turns.enter(asker.client);
    client.count++;
    this.waiting++;
  }

  private take(client: Client<T>, item: T): void {
    const { client: name, connection } = item.asker;
    const items = client.waiting.get(connection)!;
    items.splice(items.indexOf(item), 1);
    client.count--;
    this.waiting--;
    if (items.length > 0) return;
    client.waiting.delete(connection);
    client.turns.leave(connection);
    if (client.turns.isEmpty) this.turns.leave(name);
  }

  private forgetIfIdle(name: string, { count, running }: Client<T>): void {
    if (count === 0 && running === 0) this.clients.delete(name);
  }
}
