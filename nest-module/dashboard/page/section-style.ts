/** Cards, the table of operations, the list of calls, the waterfall. */
export const SECTION_STYLE = `
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .75rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem .9rem; min-width: 0; }
.card-head { display: flex; align-items: center; justify-content: space-between; gap: .6rem; margin-bottom: .45rem; }
.fact { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .2rem .6rem; font-size: .88rem; line-height: 1.55rem; }
.fact dt { color: var(--soft); } .fact dd { margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.card dl { margin: 0; }
.bar { height: 4px; border-radius: 2px; background: var(--quiet); overflow: hidden; margin: .1rem 0 .25rem; }
.fill { height: 100%; width: 100%; background: var(--good-fill); transform-origin: left; transform: scaleX(0); }
.fill[data-kind=bad] { background: var(--bad-fill); } .fill[data-kind=warn] { background: var(--warn-fill); }
#changes { list-style: none; margin: 0; padding: .5rem .9rem; height: 11rem; overflow-y: auto; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; font-size: .88rem; line-height: 1.55rem; }
#changes li { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; } #changes li[data-kind=bad] { color: var(--bad); }
#changes li[data-kind=good] { color: var(--good); } #changes li[data-kind=hold] { color: var(--hold); } #changes li[data-kind=warn] { color: var(--warn); }
.card .acts { display: flex; gap: .4rem; margin-top: .6rem; } .acts button { font-size: .82rem; min-height: 1.9rem; padding: .15rem .55rem; }
.curve { display: grid; grid-template-columns: 5.8rem minmax(0, 1fr) 5rem; align-items: center; gap: .5rem; font-size: .86rem; height: 2.6rem; }
.curve span:first-child { color: var(--soft); } .curve span:last-child { text-align: right; }
.curve svg { width: 100%; height: 2.2rem; display: block; background: linear-gradient(var(--quiet), var(--quiet)) bottom / 100% 1px no-repeat; }
.curve path { fill: none; stroke: var(--link); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  table-layout: fixed; font-size: .9rem; overflow: hidden; }
th, td { text-align: right; padding: .42rem .6rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
th { color: var(--soft); font-weight: 500; font-size: .82rem; background: var(--quiet); }
td { border-top: 1px solid var(--line); } th:first-child, td:first-child { text-align: left; width: 27%; }
th:last-child, td:last-child { text-align: left; width: 22%; } td[data-kind=bad] { color: var(--bad); font-weight: 600; }
.list { position: relative; height: 26rem; overflow-y: auto; overflow-anchor: none; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; contain: strict; --row: 34px; }
#space { position: relative; width: 100%; }
.row { position: absolute; left: 0; right: 0; top: 0; height: var(--row); display: grid; align-items: center; gap: .7rem; padding: 0 .8rem;
  grid-template-columns: 5.2rem 6.4rem minmax(0, 1.3fr) 9.5rem 5rem minmax(0, 1fr); font-size: .88rem; cursor: pointer;
  border-bottom: 1px solid var(--quiet); white-space: nowrap; contain: strict; }
.row > * { overflow: hidden; text-overflow: ellipsis; } .row:hover { background: var(--quiet); }
.row[aria-selected=true] { box-shadow: inset 3px 0 var(--link); background: var(--quiet); }
.row .time, .row .tries, .row .why { color: var(--soft); } .row .took { text-align: right; }
.status::before { margin-right: .4em; } .status[data-kind=good]::before { content: '✓'; } .status[data-kind=bad]::before { content: '✕'; }
.status[data-kind=warn]::before { content: '◔'; } .status[data-kind=hold]::before { content: '⊘'; }
.status[data-kind=good] { color: var(--good); } .status[data-kind=bad], .row .why[data-kind=bad] { color: var(--bad); }
.status[data-kind=warn] { color: var(--warn); } .status[data-kind=hold] { color: var(--hold); }
.rows { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; --row: 34px; }
.rows:empty { display: none; } .rows .row { position: static; width: 100%; border: 0; border-bottom: 1px solid var(--quiet); border-radius: 0;
  background: none; text-align: left; min-height: 0; grid-template-columns: 11.6rem 6.4rem minmax(0, 1.3fr) 9.5rem 5rem minmax(0, 1fr); }
.rows .row.event { cursor: default; grid-template-columns: 11.6rem 13rem minmax(0, 1fr) minmax(0, 1.6fr); }
.dialog-head { display: flex; justify-content: space-between; align-items: start; gap: 1rem; } .dialog-head h2 { overflow-wrap: anywhere; margin: .2rem 0; }
#call-about { margin: 0 0 .8rem; overflow-wrap: anywhere; }
#axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .8rem; border-bottom: 1px solid var(--line); padding-bottom: .15rem; }
#waterfall { list-style: none; margin: 0; padding: 0; } #waterfall li { padding: .45rem 0 .5rem; border-bottom: 1px solid var(--quiet); }
.track { position: relative; height: 1rem; background: var(--quiet); border-radius: 3px; overflow: hidden; }
.seg { position: absolute; top: 0; bottom: 0; min-width: 3px; border-radius: 3px; background: var(--bad-fill); }
.seg[data-kind=good] { background: var(--good-fill); } .seg[data-kind=warn] { background: var(--warn-fill); } .seg[data-kind=hold], .seg[data-kind=refused] { background: var(--hold-fill); }
.seg[data-kind=fallback] { background: var(--link); }
.seg[data-kind=wait] { background: repeating-linear-gradient(135deg, var(--wait-fill) 0 4px, transparent 4px 8px); }
.seg[data-kind=queue] { background: repeating-linear-gradient(45deg, var(--warn-fill) 0 3px, transparent 3px 7px); }
.says { font-size: .9rem; margin-top: .25rem; overflow-wrap: anywhere; }
#call-notes { list-style: none; padding: 0; margin: .5rem 0; color: var(--soft); font-size: .9rem; } #call-notes li { white-space: pre-wrap; overflow-wrap: anywhere; }
#call-json { margin-top: .7rem; font-size: .88rem; } #call-json pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--quiet); padding: .7rem; border-radius: 8px; }
summary { cursor: pointer; color: var(--soft); }
@media (max-width: 42rem) {
  .list, .rows { --row: 54px; }
  .row, .rows .row, .rows .row.event { grid-template-columns: minmax(0, 1fr) auto; grid-template-areas: 'name took' 'status time'; gap: 0 .7rem; align-content: center; }
  .row .name { grid-area: name; } .row .took { grid-area: took; } .row .status { grid-area: status; } .row .time { grid-area: time; }
  .row .tries, .row .why { display: none; } .list { height: 70vh; }
  table, tbody, tr, td { display: block; } thead { position: absolute; left: -99rem; }
  tr { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); padding: .5rem .7rem; border-top: 1px solid var(--line); }
  tr:first-child { border-top: 0; } td { border: 0; padding: .1rem 0; text-align: left; }
  td::before { content: attr(data-label); display: block; color: var(--soft); font-size: .74rem; font-weight: 400; }
  td:first-child, td:last-child { grid-column: 1 / -1; width: auto; } td:first-child { font-weight: 600; } td:first-child::before { content: none; } }
`;
