/** Arguments of a tool that cannot work. The message is for the agent, which may try again with better ones. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
