/**
 * Seeded 32-bit generator (sfc32) for simulation and jitter; the same on every platform. Not for
 * keys.
 */
export class Prng {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 1;

  constructor(seed: number) {
    this.a = seed | 0;
    this.b = (seed / 0x100000000) | 0;
    this.c = 0x9e3779b9 | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** Uniform in [0, 2^32). */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    this.c |= 0;
    return sum >>> 0;
  }

  /** Uniform integer in [0, bound). */
  below(bound: number): number {
    return Math.floor((this.next() / 0x100000000) * bound);
  }

  /** True with probability `rate` in [0, 1]. */
  chance(rate: number): boolean {
    return this.next() / 0x100000000 < rate;
  }
}
