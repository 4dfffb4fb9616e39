/** Product of `count` numbers of a and of b, from these places on; two sums, so that one addition need not wait for the other. */
export function dotRange(a: Float64Array, aStart: number, b: Float64Array, bStart: number, count: number): number {
  let [even, odd] = [0, 0];
  let i = 0;
  for (; i + 1 < count; i += 2) {
    even += (a[aStart + i] as number) * (b[bStart + i] as number);
    odd += (a[aStart + i + 1] as number) * (b[bStart + i + 1] as number);
  }
  return i < count ? even + odd + (a[aStart + i] as number) * (b[bStart + i] as number) : even + odd;
}
