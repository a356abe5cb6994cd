import { describe, expect, it } from 'tstyche';
import { Resilient, type ResilientOptions } from '../../../lib/index.js';

class Order {
  readonly id: string = '';
}
class Receipt {
  readonly order: Order = new Order();
}
class StoredReceipt extends Receipt {
  readonly storedAt: number = 0;
}
declare function receiptOf(order: Order): Promise<Receipt>;

describe('a fallback given by name', () => {
  it('may be a method that takes the place of the decorated one', () => {
    class Payments {
      @Resilient({ fallback: 'same' })
      async charge(order: Order, _amount: number): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: 'fewer' })
      async chargeFewer(order: Order, _amount: number): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: 'narrower' })
      async chargeNarrower(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: 'wider' })
      async chargeWider(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: 'property' })
      async chargeProperty(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: 'atOnce' })
      async chargeAtOnce(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      async same(order: Order, _amount: number): Promise<Receipt> {
        return receiptOf(order);
      }
      async fewer(): Promise<Receipt> {
        return new Receipt();
      }
      async narrower(_order: Order): Promise<StoredReceipt> {
        return new StoredReceipt();
      }
      async wider(_order: object | string, _more?: number): Promise<Receipt> {
        return new Receipt();
      }
      readonly property = async (order: Order): Promise<Receipt> => receiptOf(order);
      atOnce(_order: Order): Receipt {
        return new Receipt();
      }
    }
    class Child extends Payments {
      @Resilient({ fallback: 'fewer' })
      override async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    expect(new Child().charge).type.toBe<(order: Order) => Promise<Receipt>>();
  });

  it('must be a public method of the class; for a private one the cure is told', () => {
    class Payments {
      // @ts-expect-error ResilientTypeError<"fallback 'nowhere' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.nowhere(...args) }">
      @Resilient({ fallback: 'nowhere' })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'hidden' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.hidden(...args) }">
      @Resilient({ fallback: 'hidden' })
      async chargePrivate(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'guarded' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.guarded(...args) }">
      @Resilient({ fallback: 'guarded' })
      async chargeProtected(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'label' is not a method">
      @Resilient({ fallback: 'label' })
      async chargeLabel(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      readonly label = 'payments';
      private async hidden(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      protected async guarded(order: Order): Promise<Receipt> {
        return this.hidden(order);
      }
    }
    void Payments;
  });

  it('follows the cure for a private method', () => {
    class Payments {
      @Resilient({
        fallback(this: Payments, order: Order) {
          return this.hidden(order);
        },
      })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      private async hidden(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });

  it('must take the parameters of the method, and resolve to its result', () => {
    class Payments {
      // @ts-expect-error ResilientTypeError<"fallback 'byNumber' must accept the method's own parameters">
      @Resilient({ fallback: 'byNumber' })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'byMore' must accept the method's own parameters">
      @Resilient({ fallback: 'byMore' })
      async chargeMore(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'toText' must resolve to what the method resolves to">
      @Resilient({ fallback: 'toText' })
      async chargeToText(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"fallback 'toNothing' must resolve to what the method resolves to">
      @Resilient({ fallback: 'toNothing' })
      async chargeToNothing(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      async byNumber(_order: number): Promise<Receipt> {
        return new Receipt();
      }
      async byMore(_order: Order, _amount: number): Promise<Receipt> {
        return new Receipt();
      }
      async toText(_order: Order): Promise<string> {
        return '';
      }
      async toNothing(_order: Order): Promise<void> {}
    }
    void Payments;
  });
});

describe('a fallback given as a function', () => {
  it('may use the instance and the parameters', () => {
    class Payments {
      readonly host: string = 'h';
      @Resilient({
        async fallback(this: Payments, order: Order) {
          expect(this.host).type.toBe<string>();
          return receiptOf(order);
        },
      })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: () => new Receipt() })
      async chargeAtOnce(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: receiptOf })
      async chargeElsewhere(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: false })
      async chargeWithout(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });

  it('must take the parameters of the method, and resolve to its result', () => {
    class Payments {
      // @ts-expect-error ResilientTypeError<"the fallback function must accept the method's own parameters">
      @Resilient({ fallback: async (_order: number) => new Receipt() })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"the fallback function must accept the method's own parameters">
      @Resilient({ fallback: async (_order: Order, _amount: number) => new Receipt() })
      async chargeMore(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      // @ts-expect-error ResilientTypeError<"the fallback function must resolve to what the method resolves to">
      @Resilient({ fallback: async () => 'later' })
      async chargeToText(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });

  it('must be meant for this class', () => {
    class Other {
      readonly other = 1;
    }
    class Payments {
      // @ts-expect-error ResilientTypeError<"the fallback's this is not this class">
      @Resilient({
        fallback(this: Other) {
          return new Receipt();
        },
      })
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });

  it('has no knowledge of parameters without their types: they are unknown, not any', () => {
    class Payments {
      @Resilient({
        fallback: async (order, amount) => {
          expect(order).type.toBe<unknown>();
          expect(amount).type.toBe<unknown>();
          return new Receipt();
        },
      })
      async charge(order: Order, _amount: number): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });
});

describe('options that were put together elsewhere', () => {
  it('are checked when the application starts', () => {
    const name: string = 'later';
    const options: ResilientOptions = { fallback: 'later', retries: 2 };
    class Payments {
      @Resilient(options)
      async charge(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
      @Resilient({ fallback: name })
      async refund(order: Order): Promise<Receipt> {
        return receiptOf(order);
      }
    }
    void Payments;
  });
});
