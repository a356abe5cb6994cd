/** The value of the agent that takes the place of an answer. */
export class StandIn {
  constructor(readonly value: unknown) {}
}
