/**
 * Runs a service over its database, which is opened under a lock and closed before the lock is
 * released, also if the start fails.
 */
import type { Database } from './database.ts';

interface ServiceParts<Running> {
  /** Returns the function that releases the lock. */
  lock(): () => void;
  open(): Promise<Database>;
  serve(database: Database): Promise<Running>;
}

export async function serveOver<Running extends { close(): Promise<void> }>({
  lock,
  open,
  serve,
}: ServiceParts<Running>): Promise<Running> {
  const unlock = lock();
  try {
    const database = await open();
    const running = await serve(database).catch(async (error) => {
      await database.close();
      throw error;
    });
    return {
      ...running,
      async close() {
        await running.close();
        await database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
