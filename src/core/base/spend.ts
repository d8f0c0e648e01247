/** Told of each piece of an answer while it is made, with about as many bytes as it has as text; throws where there is no room. */
export type Spend = (bytes: number) => void;

export const FREE: Spend = () => undefined;
