// A mutant that TypeScript refuses is none: nobody could commit it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
let service;
const changed = { file: '', text: '', version: 0 };

function makeService() {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['lib'] }, ts.sys, root);
  const snapshots = new Map();
  const unchanged = (file) => {
    if (!snapshots.has(file)) snapshots.set(file, ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')));
    return snapshots.get(file);
  };
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (file) => (file === changed.file ? String(changed.version) : '0'),
    getScriptSnapshot(file) {
      if (file === changed.file) return ts.ScriptSnapshot.fromString(changed.text);
      return ts.sys.fileExists(file) ? unchanged(file) : undefined;
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (wanted) => ts.getDefaultLibFilePath(wanted),
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
    readDirectory: (...args) => ts.sys.readDirectory(...args),
    directoryExists: (folder) => ts.sys.directoryExists(folder),
    getDirectories: (folder) => ts.sys.getDirectories(folder),
  });
}

/** Whether the file compiles with the mutant in it. */
export function compiles({ file, location, replacement }) {
  service ??= makeService();
  const full = path.join(root, file);
  const text = readFileSync(full, 'utf8');
  const { line, column } = location.start;
  const starts = ts.createSourceFile(full, text, ts.ScriptTarget.Latest).getLineStarts();
  const start = starts[line] + column;
  const end = starts[location.end.line] + location.end.column;
  Object.assign(changed, { file: full, text: text.slice(0, start) + replacement + text.slice(end) });
  changed.version += 1;
  const errors = service.getSemanticDiagnostics(full).length + service.getSyntacticDiagnostics(full).length;
  return errors === 0;
}
