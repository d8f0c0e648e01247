/**
 * The first line of `text` is a comment. `mayWait`: it may have an `await` outside functions. Throws
 * when an exported variable changes after it has run.
 */
export function chunkScript(text: string, mayWait: boolean): string;
