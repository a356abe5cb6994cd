export function median(samples) {
  return samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)];
}
