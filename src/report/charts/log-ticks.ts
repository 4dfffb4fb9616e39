// Ticks of logarithmic axes that end at 1.

const mostTicks = 6;

/** 1, 0.5, 0.2, 0.1 and so on, or every power of ten, or every other one, as there is room. */
export function ticksDown(lowest: number): number[] {
  const decades = Math.ceil(-Math.log10(lowest));
  const powers = Array.from({ length: decades + 1 }, (_, place) => Number(`1e-${place}`));
  const fine = powers.flatMap((power) => [power, power * 0.5, power * 0.2]).filter((tick) => tick >= lowest);
  if (fine.length <= mostTicks) return fine;
  const coarse = powers.filter((tick) => tick >= lowest);
  const step = Math.ceil(coarse.length / mostTicks);
  return coarse.filter((_, place) => place % step === 0);
}
