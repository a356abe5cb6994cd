/** What a message of a replica says, by name: the arguments of the script, in their order. */
export interface Message {
  readonly replica: string;
  readonly wordMs: number;
  readonly epoch: number;
  readonly vote: number;
  readonly calls: number;
  readonly failures: number;
  readonly quorum: number;
  readonly failureRate: number;
  readonly minimumCalls: number;
  readonly recoveryMs: number;
  readonly wants: number;
  readonly leaseMs: number;
  readonly concurrent: number;
  readonly outcome: string;
  readonly number: number;
}

export function messageOf(args: readonly string[]): Message {
  const numbers = args.map(Number);
  const at = (place: number): number => numbers[place] ?? NaN;
  return {
    replica: args[0] ?? '',
    wordMs: at(1),
    epoch: at(2),
    vote: at(3),
    calls: at(4),
    failures: at(5),
    quorum: at(6),
    failureRate: at(7),
    minimumCalls: at(8),
    recoveryMs: at(9),
    wants: at(10),
    leaseMs: at(11),
    concurrent: at(12),
    outcome: args[13] ?? '',
    number: at(14),
  };
}

interface Word {
  readonly untilMs: number;
  readonly said: Message;
}

/** What the scripts do on the server, in plain lists: one breaker of one fleet. It is slow, and easy to believe. */
export class FleetTwin {
  epoch = 0;
  openUntilMs: number | undefined = undefined;
  private words: Word[] = [];
  private leases: { replica: string; untilMs: number }[] = [];

  sync(nowMs: number, said: Message): number[] {
    const before = this.words.find((word) => word.said.replica === said.replica);
    const isLate = before !== undefined && said.number <= before.said.number;
    if (!isLate) {
      this.hearOutcome(nowMs, said);
      this.words = this.words.filter((word) => word !== before);
      this.words.push({ untilMs: nowMs + said.wordMs, said });
    }
    this.words = this.words.filter(({ untilMs }) => untilMs >= nowMs);
    this.leases = this.leases.filter(({ untilMs }) => untilMs >= nowMs);
    const holders = this.holders(nowMs);
    const votes = this.wordsOfEpoch().filter(({ vote }) => vote === 1).length;
    const waiting = this.words.filter(
      ({ said: { replica, wants } }) => wants === 1 && replica !== said.replica && !holders.includes(replica),
    ).length;
    if (this.openUntilMs === undefined && (votes >= said.quorum || this.hasTripped(said)))
      this.begin(nowMs + said.recoveryMs);
    else if (!isLate && said.wants === 1 && this.openUntilMs !== undefined && nowMs >= this.openUntilMs)
      this.lend(nowMs, said, holders);
    const lease = this.leases.find(({ replica }) => replica === said.replica);
    return [
      this.epoch,
      this.openUntilMs === undefined ? -1 : Math.max(0, this.openUntilMs - nowMs),
      lease === undefined ? 0 : lease.untilMs - nowMs,
      this.words.length,
      votes,
      waiting,
    ];
  }

  leave(replica: string): void {
    this.words = this.words.filter(({ said }) => said.replica !== replica);
    this.leases = this.leases.filter((lease) => lease.replica !== replica);
  }

  holders(nowMs: number): string[] {
    return this.leases.filter(({ untilMs }) => untilMs >= nowMs).map(({ replica }) => replica);
  }

  private hearOutcome(nowMs: number, { replica, epoch, outcome, recoveryMs }: Message): void {
    if (outcome === '' || epoch !== this.epoch || !this.holders(nowMs).includes(replica)) return;
    this.leases = this.leases.filter((lease) => lease.replica !== replica);
    if (outcome === 'good') this.begin(undefined);
    if (outcome === 'bad') this.begin(nowMs + recoveryMs);
  }

  private begin(openUntilMs: number | undefined): void {
    this.epoch += 1;
    this.openUntilMs = openUntilMs;
    this.leases = [];
  }

  private lend(nowMs: number, { replica, leaseMs, concurrent }: Message, holders: readonly string[]): void {
    const others = holders.filter((holder) => holder !== replica);
    if (others.length === holders.length && holders.length >= concurrent) return;
    this.leases = this.leases.filter((lease) => lease.replica !== replica);
    this.leases.push({ replica, untilMs: nowMs + leaseMs });
  }

  private hasTripped({ failureRate, minimumCalls, quorum }: Message): boolean {
    if (failureRate === 0) return false;
    const words = this.wordsOfEpoch();
    const calls = words.reduce((sum, word) => sum + word.calls, 0);
    const failures = words.reduce((sum, word) => sum + word.failures, 0);
    const sick = words.filter((word) => word.vote === 1 || word.failures / word.calls >= failureRate).length;
    return calls > 0 && calls >= minimumCalls && failures / calls >= failureRate && sick >= quorum;
  }

  private wordsOfEpoch(): Message[] {
    return this.words.map(({ said }) => said).filter(({ epoch }) => epoch === this.epoch);
  }
}
