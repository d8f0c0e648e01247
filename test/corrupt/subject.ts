/**
 * One kind of stored data that the matrix damages: which files it has, how it is made, and how it
 * is opened.
 */

/** What a service holds, by part; what cannot be read any more, and says so, is `UNREADABLE`. */
export type Content = Readonly<Record<string, string>>;
/** A part that is refused by name, with the command that cures it, while the rest is served. */
export const UNREADABLE = 'unreadable';

export interface Opened {
  /** undefined: refused. */
  readonly content?: Content;
  readonly refusal?: { readonly code: string; readonly message: string };
  /** Lines of the log. */
  readonly told: readonly string[];
}

export interface Subject {
  readonly name: string;
  /** Below its folder. */
  readonly files: readonly string[];
  /** A folder as it is at rest, and the same one at an earlier time. */
  make(folder: string, older: string): Promise<void>;
  /** As its service opens it, and all that is in it. Throws what the service throws. */
  open(folder: string, log: (message: string) => void): Promise<Content>;
  /**
   * Parts that may be less after this damage, because the service said so or stands back (a
   * validator that abstains), or because nothing could tell; docs/threat-model.md names those.
   */
  mayDiffer(file: string, kind: string): readonly string[];
}
