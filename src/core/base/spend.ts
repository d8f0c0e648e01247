/**
 * Called for each piece of an answer while it is built, with its approximate size as text, in
 * bytes. Throws when there is no room.
 */
export type Spend = (bytes: number) => void;

export const FREE: Spend = () => undefined;
