/**
 * Figures of a bench: printed as a table, written as JSON with unit, runs, median and the ratio to
 * a reference.
 */
import { writeFileSync } from 'node:fs';

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly runs: readonly number[];
  /** The figure that `ratio` compares with, measured in the same run. */
  readonly reference?: { readonly name: string; readonly runs: readonly number[] };
  /** The budget (docs/performance.md), in the same unit. */
  readonly budget?: number;
}

/** A figure in a file. */
export interface WrittenFigure extends Figure {
  readonly median: number;
  readonly ratio?: number;
}

export interface WrittenFigures {
  readonly bench: string;
  readonly node: string;
  readonly figures: readonly WrittenFigure[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Value at `share` (0..1) of the sorted values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => {
    const { reference, budget } = figure;
    const value = median(figure.runs);
    return [
      figure.name,
      `${short(value)} ${figure.unit}`,
      figure.runs.length > 1
        ? `${short(Math.min(...figure.runs))}..${short(Math.max(...figure.runs))}`
        : '',
      reference ? `${(value / median(reference.runs)).toFixed(2)} x ${reference.name}` : '',
      budget === undefined ? '' : `budget ${budget} (${(value / budget).toFixed(2)})`,
    ];
  });
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...rows.map((row) => row[column]!.length)),
  );
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

export function writeFigures(file: string, bench: string, figures: readonly Figure[]): void {
  const out = figures.map(
    ({ reference, ...figure }): WrittenFigure => ({
      ...figure,
      median: median(figure.runs),
      ...(reference ? { reference, ratio: median(figure.runs) / median(reference.runs) } : {}),
    }),
  );
  const written: WrittenFigures = { bench, node: process.version, figures: out };
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
}

export function short(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(3);
}
