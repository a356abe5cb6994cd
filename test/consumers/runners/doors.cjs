// B187: under a test runner `import` and `require` may bring two copies of the package, as no runner knows the
// `module-sync` condition. They must still understand each other's errors, marks and tokens.
exports.ask = async function ask(one, other, tokens) {
  const made = new one.NonRetryableError('no');
  let tries = 0;
  const failed = await other
    .resilient({ name: 'fail', retries: 2 }, async () => {
      tries += 1;
      throw made;
    })()
    .catch((error) => error);
  const { value, report } = await one.resilient({ name: 'ask', retries: 2 }, async () => 'yes')();
  return {
    value,
    status: report.status,
    knowsTheError: made instanceof other.NonRetryableError,
    knowsTheFailure: failed instanceof one.OperationExecutionError,
    tries,
    tokens: tokens.map((token) => String(token)),
    sameTokens: tokens[0] === tokens[1],
  };
};

exports.expected = {
  value: 'yes',
  status: 'succeeded',
  knowsTheError: true,
  knowsTheFailure: true,
  tries: 1,
  tokens: ['Symbol(relprim/clock)', 'Symbol(relprim/clock)'],
  sameTokens: true,
};
