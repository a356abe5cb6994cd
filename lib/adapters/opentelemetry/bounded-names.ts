/** What stands for all names that are not told apart. */
const REST = 'other';

/** Something for each name, as far as there are not too many of them: the rest have one in common. */
export class BoundedNames<T> {
  private readonly byName = new Map<string, T>();
  private rest: T | undefined;

  constructor(
    private readonly most: number,
    private readonly make: (name: string) => T,
  ) {}

  get(name: string): T {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.byName.size >= this.most) return (this.rest ??= this.make(REST));
    const made = this.make(name);
    this.byName.set(name, made);
    return made;
  }
}
