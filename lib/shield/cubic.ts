/** The constants of CUBIC (RFC 9438, section 4): how steep the curve is, and what a cut leaves. */
const CUBIC_C = 0.4;
export const CUBIC_BETA = 0.7;

/** Seconds from a cut until the curve is back at the rate from before it. */
export function cubicK(wMax: number): number {
  return Math.cbrt((wMax * (1 - CUBIC_BETA)) / CUBIC_C);
}

/** The rate this long after a cut from `wMax`: flat around where it broke, steeper the further it gets beyond. */
export function cubicRate(wMax: number, sinceSeconds: number): number {
  return CUBIC_C * (sinceSeconds - cubicK(wMax)) ** 3 + wMax;
}
