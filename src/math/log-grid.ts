// Places for logarithmic axes.

/** Powers of 10^(1/perDecade) from the first that is at least `least` up to 1. Tenths, hundredths and so on are among them, exactly. */
export function logGrid(least: number, perDecade: number): number[] {
  // Rounding of the logarithm must not leave out `least` itself.
  const first = Math.min(0, Math.ceil(Math.log10(least) * perDecade - 1e-9));
  return Array.from({ length: 1 - first }, (_, place) => {
    const decade = Math.floor((first + place) / perDecade);
    // 10 ** -4 is not the number 1e-4.
    return Number(`1e${decade}`) * 10 ** ((first + place) / perDecade - decade);
  });
}
