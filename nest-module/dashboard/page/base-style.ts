/** Colours, type, and what is the same everywhere. */
export const BASE_STYLE = `
:root { color-scheme: light dark;
  --back: #f4f6f9; --card: #fff; --text: #1b2230; --soft: #586274; --line: #dfe4ec; --quiet: #eef1f6;
  --link: #1f55c4; --good: #14713f; --bad: #bd1f36; --warn: #8a5800; --hold: #6b3fb0;
  --good-fill: #2f9e62; --bad-fill: #d64556; --warn-fill: #d99422; --hold-fill: #9b7ad6; --wait-fill: #b6bfce; }
@media (prefers-color-scheme: dark) { :root {
  --back: #11151b; --card: #191f28; --text: #e7ebf2; --soft: #9ea9ba; --line: #2c3441; --quiet: #222a35;
  --link: #85adff; --good: #5fd39a; --bad: #ff8a94; --warn: #f2bb66; --hold: #c3a6ff;
  --good-fill: #35a56c; --bad-fill: #d9515f; --warn-fill: #c98a24; --hold-fill: #8d6bd0; --wait-fill: #566173; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 84rem; padding: 1rem 1.25rem 3rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; font-variant-numeric: tabular-nums;
  -webkit-tap-highlight-color: transparent; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
h1 { font-size: 1.35rem; margin: 0; letter-spacing: -.01em; } h2 { font-size: 1.02rem; margin: 0 0 .6rem; }
h3 { font-size: .95rem; margin: 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
p { margin: 0; }
h2 small { color: var(--soft); font-weight: 400; font-size: .8rem; margin-left: .4rem; }
#now { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 1rem; }
section { margin-top: 1.6rem; min-width: 0; } .two { grid-column: span 2; } .all { grid-column: 1 / -1; }
@media (max-width: 62rem) { #now { display: block; } }
button, input, select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 7px; padding: .32rem .7rem; min-height: 2.15rem; }
input[type=checkbox] { min-height: 0; width: 1rem; height: 1rem; accent-color: var(--link); }
button { cursor: pointer; } button:hover:not(:disabled) { border-color: var(--link); color: var(--link); }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; z-index: 2; }
.title { display: flex; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
#link { color: var(--soft); font-size: .88rem; } #link::before { content: '●'; margin-right: .4em; color: var(--warn-fill); }
#link[data-kind=live]::before { color: var(--good-fill); } #link[data-kind=lost]::before { color: var(--bad-fill); }
.totals { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .75rem; margin: .9rem 0 0; }
.totals div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .55rem .85rem; }
.totals dt { color: var(--soft); font-size: .8rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.totals dd { margin: 0; font-size: 1.4rem; font-weight: 600; white-space: nowrap; } .totals dd[data-kind=bad] { color: var(--bad); }
.tabs { display: flex; gap: .4rem; margin-top: 1rem; border-bottom: 1px solid var(--line); }
.tabs button { border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; }
.tabs button[aria-selected=true] { border-bottom-color: var(--link); font-weight: 600; }
.none, .omitted, .hint { color: var(--soft); font-size: .88rem; } .none, .omitted, .hint { margin: .5rem 0; }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin-bottom: .6rem; }
.controls label { display: inline-flex; gap: .5rem; align-items: center; color: var(--soft); font-size: .88rem; }
.controls input[type=search] { width: 13rem; }
.pill { flex: none; width: 7.4rem; text-align: center; border-radius: 99px; padding: .08rem .5rem; font-size: .8rem; font-weight: 600;
  white-space: nowrap; border: 1px solid currentColor; color: var(--soft); }
[data-kind=good].pill { color: var(--good); } [data-kind=bad].pill { color: var(--bad); }
[data-kind=warn].pill { color: var(--warn); } [data-kind=hold].pill { color: var(--hold); }
dialog { width: min(62rem, calc(100vw - 1.5rem)); max-height: calc(100vh - 2rem); overflow: auto; border: 1px solid var(--line);
  border-radius: 12px; background: var(--card); color: var(--text); padding: 1.1rem 1.25rem; }
dialog::backdrop { background: rgb(10 14 20 / .55); }
#act { width: min(32rem, calc(100vw - 1.5rem)); } #act label { display: grid; gap: .3rem; margin-top: .8rem; color: var(--soft); }
#act .controls { margin: .4rem 0 0; } #act-error { color: var(--bad); min-height: 1.5em; margin-top: .4rem; overflow-wrap: anywhere; }
#act-about { overflow-wrap: anywhere; } #act-go { background: var(--link); border-color: var(--link); color: var(--card); font-weight: 600; }
#act-go:hover:not(:disabled) { color: var(--card); filter: brightness(1.1); }
@media (prefers-reduced-motion: no-preference) { .fill { transition: transform .3s linear; } }
@media (max-width: 42rem) { body { padding: .75rem .75rem 2rem; }
  .totals { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; } .totals dd { font-size: 1.15rem; }
  .controls input[type=search] { width: 100%; } .controls label:not(.check) { flex: 1 1 10rem; }
  .totals div:last-child { grid-column: 1 / -1; } }
@media (hover: none) { .keys { display: none; } }
`;
