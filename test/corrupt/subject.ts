/**
 * One kind of stored data that the matrix damages: which files it has, how it is created, and how
 * it is opened.
 */

/**
 * The content of a store, by part; a part that cannot be read any more and reports so is
 * `UNREADABLE`.
 */
export type Content = Readonly<Record<string, string>>;
/**
 * Marks a part that is refused by name, with the command that repairs it, while the rest is served.
 */
export const UNREADABLE = 'unreadable';

export interface Opened {
  /** undefined: the store refused to open. */
  readonly content?: Content;
  readonly refusal?: { readonly code: string; readonly message: string };
  /** Lines that it logged. */
  readonly told: readonly string[];
}

export interface Subject {
  readonly name: string;
  /** Paths below the folder. */
  readonly files: readonly string[];
  /** Creates a folder of a stopped service, and a copy of it from an earlier time. */
  make(folder: string, older: string): Promise<void>;
  /**
   * Opens the folder as the service does, and reads all that is in it. Throws the service's errors.
   */
  open(folder: string, log: (message: string) => void): Promise<Content>;
  /**
   * Parts that may have lost content after this damage: because the service reports it or abstains
   * (a validator), or because nothing could detect it; docs/threat-model.md lists the latter.
   */
  mayDiffer(file: string, kind: string): readonly string[];
}
