/** Space on the disk of a service's data, under the same names for all services. */
import { statfsSync } from 'node:fs';

/** Adds a gauge that is read when metrics are requested. */
type AddProbe = (name: string, read: () => number) => void;

/** Gauges in bytes; NaN when the folder cannot be read. */
export function watchDisk(add: AddProbe, folder: string): void {
  const bytes = (blocks: 'bavail' | 'blocks') => () => {
    try {
      const disk = statfsSync(folder);
      return disk[blocks] * disk.bsize;
    } catch {
      return Number.NaN;
    }
  };
  // Bytes that a process without special rights may still write.
  add('quorate_disk_free_bytes', bytes('bavail'));
  add('quorate_disk_size_bytes', bytes('blocks'));
}
