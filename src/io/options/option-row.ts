/** One option as a row: the single source for parsing, help and documentation. */

export type OptionType = 'string' | 'boolean' | 'integer' | 'number' | 'list' | 'duration';
/** Durations are milliseconds. */
export type OptionValue = string | boolean | number | readonly string[];

export interface OptionRow {
  /** Without dashes, such as `http.port`. */
  readonly flag: string;
  readonly type: OptionType;
  readonly default?: OptionValue;
  /**
   * Printed in the help, such as `MB`. For paths it begins with `file` or `folder`, for TCP ports
   * it is `port`, so that errors can name the option.
   */
  readonly unit?: string;
  readonly about: string;
  readonly group: string;
  readonly env?: string;
  /** Dotted key in the configuration file; case-insensitive. The flag itself is always accepted. */
  readonly fileKey?: string;
  readonly aliases?: readonly string[];
  /** The only allowed values of a string, or of each item of a list. */
  readonly choices?: readonly string[];
  /** The case of a choice does not matter. */
  readonly anyCase?: boolean;
  /** For a switch: `true` or `false` may also follow as a word of its own. */
  readonly takesWord?: boolean;
  /** For a list: the value of each flag is one item, including its commas. */
  readonly whole?: boolean;
  /** Advice that is shown when the flag is refused. */
  readonly refused?: string;
  /** What applies instead; the flag is accepted without effect, and its use is reported. */
  readonly ignored?: string;
}
