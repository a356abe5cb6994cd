/** The table of operations, and the totals above. */
export const OPERATIONS = String.raw`
const COLUMNS = ['Operation', 'Calls/s', 'Failed', 'p50', 'p99', 'Retries', 'Fallbacks', 'Calls', 'Last failure'];

/** @type {(operation: any) => any} */
function makeOperation(operation) {
  const node = el('tr');
  const cells = COLUMNS.map((label) => {
    const cell = el('td');
    cell.dataset.label = label;
    node.append(cell);
    return cell;
  });
  const name = /** @type {HTMLElement} */ (cells[0]);
  name.textContent = operation.operation_name;
  name.title = operation.composition ?? operation.operation_name;
  return { node, cells };
}

/** @type {(part: any, operation: any) => void} */
function updateOperation({ cells }, { counts, last_minute, durations, last_failure }) {
  const failure = last_failure === null ? NOTHING : clock(last_failure.at) + ' ' + (last_failure.error_type ?? last_failure.status);
  const texts = [
    rate(last_minute.calls_per_second),
    percent(last_minute.failure_rate),
    seconds(durations.p50_seconds),
    seconds(durations.p99_seconds),
    share(counts.retries, counts.attempts),
    share(counts.fallbacks_used, counts.calls),
    count(counts.calls),
    failure,
  ];
  texts.forEach((text, index) => say(cells[index + 1], text));
  kind(cells[2], (last_minute.failure_rate ?? 0) > 0 ? 'bad' : '');
  cells[8].title = failure;
}

/** @type {(frame: any) => void} */
function drawOperations({ operations, omitted: left }) {
  draw(at('operations'), operations, (operation) => operation.operation_name, makeOperation, updateOperation);
  omitted(at('operations'), left.operations);
}

/** @type {(frame: any) => void} */
function drawTotals({ circuit_breakers, operations, calls, uptime_seconds }) {
  const open = circuit_breakers.filter((/** @type {any} */ breaker) => breaker.state !== 'closed' || breaker.forced !== null).length;
  say(at('total-open'), open + ' of ' + circuit_breakers.length);
  kind(at('total-open'), open > 0 ? 'bad' : '');
  const sum = { calls: 0, failed: 0, rate: 0 };
  for (const { last_minute } of operations) {
    sum.calls += last_minute.calls;
    sum.failed += last_minute.failed;
    sum.rate += last_minute.calls_per_second;
  }
  say(at('total-rate'), rate(sum.rate));
  say(at('total-failed'), share(sum.failed, sum.calls));
  kind(at('total-failed'), sum.failed > 0 ? 'bad' : '');
  say(at('total-calls'), count(calls));
  say(at('total-up'), span(uptime_seconds));
}
`;
