/** A line for every gigabyte that a long copy has done. */
const LINE_BYTES = 1024 * 1024 * 1024;

export function byteProgress(verb: string, totalBytes?: number) {
  let done = 0;
  let nextLine = LINE_BYTES;
  const gigabytes = (bytes: number) => (bytes / LINE_BYTES).toFixed(1);
  return {
    add(count: number): void {
      done += count;
      if (done < nextLine) return;
      nextLine += LINE_BYTES;
      const of = totalBytes === undefined ? '' : ` of ${gigabytes(totalBytes)}`;
      console.log(`  ${verb} ${gigabytes(done)}${of} GB`);
    },
  };
}
