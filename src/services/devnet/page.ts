/**
 * Width and highlighting of a text: they depend on the terminal; files and pipes get plain text.
 */
import { styleText } from 'node:util';

export interface Page {
  /** Columns that may be used. */
  readonly width: number;
  heading(text: string): string;
  warning(text: string): string;
}

/** The members of process.stdout that are used. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/**
 * Without this, newer versions of Node check process.stdout for colours, even if the text goes
 * elsewhere.
 */
const FOR_OUTPUT = { validateStream: false };
const NARROW = 80;
const WIDE = 120;

/** 80 columns on a terminal that has fewer than 120, else 120. */
export function pageFor(output: Output): Page {
  const isTerminal = output.isTTY === true;
  const isStyled = isTerminal && output.hasColors?.() === true;
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isStyled ? styleText(format, text, FOR_OUTPUT) : text;
  return {
    width: isTerminal && (output.columns ?? NARROW) < WIDE ? NARROW : WIDE,
    heading: style('bold'),
    warning: style(['bold', 'yellow']),
  };
}

/**
 * Joins `parts` to lines of at most `width` columns, with `glue` between parts of a line. A part is
 * never cut.
 */
export function filled(parts: readonly string[], width: number, glue = ' '): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + glue.length + part.length <= width)
      lines[lines.length - 1] = last + glue + part;
    else lines.push(part);
  }
  return lines;
}

/** Aligns the cells of each column. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? '').length));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  );
}
