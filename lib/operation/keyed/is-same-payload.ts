/** Payloads can only be compared where both are known. */
export function isSamePayload(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
