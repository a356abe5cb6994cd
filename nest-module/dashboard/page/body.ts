/** What the page has before anything is known. Every place that will be filled is there, so that nothing moves later. */
export const BODY = `<body>
<a class="skip" href="#calls">Skip to the calls</a>
<header>
  <div class="title"><h1>Resilience</h1><p id="link" role="status" data-kind="wait">connecting…</p></div>
  <dl class="totals">
    <div><dt>Breakers not closed</dt><dd id="total-open">–</dd></div>
    <div><dt>Calls per second</dt><dd id="total-rate">–</dd></div>
    <div><dt>Failed, last minute</dt><dd id="total-failed">–</dd></div>
    <div><dt>Calls, all</dt><dd id="total-calls">–</dd></div>
    <div><dt>Up for</dt><dd id="total-up">–</dd></div>
  </dl>
  <div class="tabs" role="tablist" aria-label="Views" hidden>
    <button id="tab-now" role="tab" aria-selected="true" aria-controls="now">Now</button>
    <button id="tab-past" role="tab" aria-selected="false" aria-controls="past" tabindex="-1">History</button>
  </div>
</header>
<main id="now" role="tabpanel" aria-labelledby="tab-now">
  <section class="two" aria-labelledby="h-breakers"><h2 id="h-breakers">Circuit breakers</h2>
    <p class="none" hidden>There are none.</p><div id="breakers" class="cards"></div><p class="omitted" hidden></p></section>
  <section aria-labelledby="h-changes"><h2 id="h-changes">Latest changes</h2>
    <ol id="changes" tabindex="0" aria-labelledby="h-changes"></ol></section>
  <section class="two" aria-labelledby="h-shields" hidden><h2 id="h-shields">Shields <small>curves of the last five minutes</small></h2>
    <div id="shields" class="cards"></div><p class="omitted" hidden></p></section>
  <section aria-labelledby="h-limits" hidden><h2 id="h-limits">Concurrency limits</h2>
    <div id="limits" class="cards"></div><p class="omitted" hidden></p></section>
  <section class="all" aria-labelledby="h-operations"><h2 id="h-operations">Operations</h2>
    <p class="none" hidden>There are none.</p>
    <table><thead><tr><th scope="col">Operation</th>
      <th scope="col" title="Over the last minute">Calls/s</th>
      <th scope="col" title="Of the calls of the last minute">Failed</th>
      <th scope="col" title="Half of the latest 100 calls took no longer">p50</th>
      <th scope="col" title="99 of the latest 100 calls took no longer">p99</th>
      <th scope="col" title="Of all attempts">Retries</th>
      <th scope="col" title="Of all calls">Fallbacks</th>
      <th scope="col" title="Since they are counted">Calls</th>
      <th scope="col">Last failure</th></tr></thead><tbody id="operations"></tbody></table><p class="omitted" hidden></p></section>
  <section class="all" aria-labelledby="h-calls"><h2 id="h-calls">Calls</h2>
    <div class="controls">
      <label>Operation <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
      <label class="check"><input id="trouble" type="checkbox"> only what did not simply succeed</label>
      <button id="fresh" type="button">0 new</button>
    </div>
    <div id="calls" class="list" role="listbox" tabindex="0" aria-label="Calls, newest first"><div id="space" role="presentation"></div></div>
    <p class="hint" id="calls-note"><span class="keys">Arrows move, Enter opens. </span>New calls wait while the list is scrolled, pointed at or in use.</p></section>
</main>
<main id="past" role="tabpanel" aria-labelledby="tab-past" hidden>
  <section aria-labelledby="h-past"><h2 id="h-past">History</h2>
    <form id="past-form" class="controls">
      <label>What <select id="past-kind"><option value="reports">calls</option><option value="events">events</option></select></label>
      <label>Operation, exactly <input id="past-operation" type="search" autocomplete="off" spellcheck="false"></label>
      <button type="submit">Show newest</button><button id="past-older" type="button" disabled>Older</button>
    </form>
    <p id="past-note" class="hint" role="status">&nbsp;</p><ul id="past-rows" class="rows"></ul></section>
</main>
<dialog id="call" aria-labelledby="call-title">
  <div class="dialog-head"><h2 id="call-title">Call</h2><button id="call-close" type="button">Close</button></div>
  <p id="call-about" class="hint"></p>
  <div id="axis" aria-hidden="true"><span></span><span></span><span></span></div>
  <ol id="waterfall"></ol><ul id="call-notes"></ul>
  <details id="call-json"><summary>Report as JSON</summary><pre tabindex="0"></pre></details>
</dialog>
<dialog id="act" aria-labelledby="act-title"><form id="act-form">
  <h2 id="act-title">Operate</h2><p id="act-about"></p>
  <label>Reason, for the log <input id="act-reason" required maxlength="500" autocomplete="off"></label>
  <p id="act-error" role="alert">&nbsp;</p>
  <div class="controls"><button id="act-go" type="submit">Do it</button><button id="act-cancel" type="button">Cancel</button></div>
</form></dialog>
</body>`;
