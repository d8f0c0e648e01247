/**
 * Called for each piece of an answer while the answer is built, with the piece's approximate size
 * as text, in bytes. Throws when no space is left.
 */
export type Spend = (bytes: number) => void;

export const FREE: Spend = () => undefined;
