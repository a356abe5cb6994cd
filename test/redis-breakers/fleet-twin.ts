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
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: number;
  readonly chance: number;
  readonly failedProbes: number;
  readonly openForMs: number;
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
    initialMs: at(9),
    factor: at(10),
    maxMs: at(11),
    jitter: at(12),
    chance: at(13),
    failedProbes: at(14),
    openForMs: at(15),
    wants: at(16),
    leaseMs: at(17),
    concurrent: at(18),
    outcome: args[19] ?? '',
    number: at(20),
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
  failedProbes = 0;
  private closedEpoch = 0;
  private latestMs = 0;
  private words: Word[] = [];
  private leases: { replica: string; untilMs: number }[] = [];

  sync(nowMs: number, said: Message): number[] {
    this.goBack(this.latestMs - nowMs);
    const before = this.words.find((word) => word.said.replica === said.replica);
    const isLate = before !== undefined && said.number <= before.said.number;
    if (!isLate) {
      if (said.epoch > this.epoch) this.adopt(nowMs, said);
      this.hearReset(said);
      this.hearOutcome(nowMs, said);
      this.latestMs = nowMs;
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
      this.open(nowMs, said, 0);
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
      this.failedProbes,
    ];
  }

  leave(replica: string): void {
    this.words = this.words.filter(({ said }) => said.replica !== replica);
    this.leases = this.leases.filter((lease) => lease.replica !== replica);
  }

  holders(nowMs: number): string[] {
    return this.leases.filter(({ untilMs }) => untilMs >= nowMs).map(({ replica }) => replica);
  }

  /** The server's clock has been set back. */
  private goBack(byMs: number): void {
    if (byMs <= 0) return;
    this.latestMs -= byMs;
    if (this.openUntilMs !== undefined) this.openUntilMs -= byMs;
    this.words = this.words.map(({ untilMs, said }) => ({ untilMs: untilMs - byMs, said }));
    this.leases = this.leases.map(({ untilMs, replica }) => ({ untilMs: untilMs - byMs, replica }));
  }

  /** The server has lost what this replica knows. */
  private adopt(nowMs: number, { epoch, openForMs, leaseMs, failedProbes }: Message): void {
    this.begin(openForMs < 0 ? undefined : nowMs + Math.max(openForMs, leaseMs), failedProbes, epoch);
  }

  private hearReset({ outcome, epoch }: Message): void {
    if (outcome === 'reset' && this.openUntilMs !== undefined && epoch >= this.closedEpoch)
      this.begin(undefined);
  }

  private hearOutcome(nowMs: number, said: Message): void {
    const { replica, epoch, outcome } = said;
    if (outcome === '' || epoch !== this.epoch || !this.holders(nowMs).includes(replica)) return;
    this.leases = this.leases.filter((lease) => lease.replica !== replica);
    if (outcome === 'good') this.begin(undefined);
    if (outcome === 'bad') this.open(nowMs, said, this.failedProbes + 1);
  }

  private open(nowMs: number, said: Message, failedProbes: number): void {
    const { initialMs, factor, maxMs, jitter, chance } = said;
    let ms = initialMs;
    for (let grown = 0; grown < failedProbes && ms < maxMs; grown += 1) ms = Math.min(ms * factor, maxMs);
    const [least, most] = [ms * (1 - jitter), Math.min(ms * (1 + jitter), maxMs)];
    this.begin(nowMs + Math.ceil(least + chance * (most - least)), failedProbes);
  }

  private begin(openUntilMs: number | undefined, failedProbes = 0, epoch = this.epoch + 1): void {
    this.epoch = epoch;
    this.openUntilMs = openUntilMs;
    this.failedProbes = failedProbes;
    if (openUntilMs === undefined) this.closedEpoch = epoch;
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
