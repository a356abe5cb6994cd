import { join, sep } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const OURS = [join(ROOT, 'lib') + sep, join(ROOT, 'nest-module') + sep];
const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/** What each door exports, by the compiler: a line for each name, and one below it for each public member of a class. */
export function surfacesOf(doors: readonly string[]): readonly (readonly string[])[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), { types: ['node'] }, host);
  const paths = doors.map((door) => join(ROOT, door));
  const program = ts.createProgram(paths, config?.options ?? {});
  const checker = program.getTypeChecker();
  return paths.map((path) => {
    const door = checker.getSymbolAtLocation(program.getSourceFile(path) as ts.Node) as ts.Symbol;
    const names = checker.getExportsOfModule(door).sort((one, other) => (one.name < other.name ? -1 : 1));
    return names.flatMap((name) => describe(checker, name));
  });
}

function describe(checker: ts.TypeChecker, exported: ts.Symbol): string[] {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const { name } = exported;
  const [place] = symbol.declarations as ts.Declaration[];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const textOf = (of: ts.Type) => checker.typeToString(of, place, FLAGS | ts.TypeFormatFlags.InTypeAlias);
  if (symbol.flags & ts.SymbolFlags.Class) return describeClass(checker, symbol, type);
  if (symbol.flags & ts.SymbolFlags.Interface) return [describeInterface(name, symbol)];
  if (symbol.flags & ts.SymbolFlags.TypeAlias) return [`type ${name} = ${textOf(type)}`];
  const value = checker.getTypeOfSymbol(symbol);
  if (symbol.flags & ts.SymbolFlags.Function) {
    return value.getCallSignatures().map((call) => `function ${name}${signature(checker, call, place)}`);
  }
  return [`const ${name}: ${value.flags & ts.TypeFlags.ESSymbolLike ? 'symbol' : textOf(value)}`];
}

/** Its own members only: those of its bases stand with the bases. */
function describeInterface(name: string, symbol: ts.Symbol): string {
  const [place] = symbol.declarations as ts.InterfaceDeclaration[];
  const bases = place?.heritageClauses?.map((clause) => `${oneLine(clause.getText())} `).join('') ?? '';
  const members = [...(symbol.members?.values() ?? [])].filter(
    (member) => !(member.flags & ts.SymbolFlags.TypeParameter),
  );
  const names = members.map((member) =>
    isCall(member) ? '(…)' : `${nameOf(member)}${isOptional(member) ? '?' : ''}`,
  );
  return `interface ${name} ${bases}{ ${names.join(', ')} }`;
}

/** However long it is, and however it is formatted. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/(?<=<) | (?=>)/g, '');
}

function isCall(member: ts.Symbol): boolean {
  return member.escapedName === ts.InternalSymbolName.Call;
}

function describeClass(checker: ts.TypeChecker, symbol: ts.Symbol, type: ts.Type): string[] {
  const constructor = checker.getTypeOfSymbol(symbol);
  const [place] = symbol.declarations as ts.Declaration[];
  const isAbstract = (ts.getCombinedModifierFlags(place as ts.Declaration) & ts.ModifierFlags.Abstract) !== 0;
  const made = constructor.getConstructSignatures().map((call) => `  new ${signature(checker, call, place)}`);
  const statics = constructor.getProperties().filter(isPublic);
  const members = type.getProperties().filter(isPublic);
  return [
    `${isAbstract ? 'abstract ' : ''}class ${checker.typeToString(type, place, FLAGS)}${baseOf(checker, type)}`,
    ...(isAbstract ? [] : made),
    ...statics.flatMap((member) => memberLines(checker, member).map((line) => `  static ${line}`)),
    ...members.flatMap((member) => memberLines(checker, member).map((line) => `  ${line}`)),
  ];
}

function baseOf(checker: ts.TypeChecker, type: ts.Type): string {
  const [base] = checker.getBaseTypes(type as ts.InterfaceType);
  return base === undefined ? '' : ` extends ${checker.typeToString(base, undefined, FLAGS)}`;
}

function memberLines(checker: ts.TypeChecker, member: ts.Symbol): string[] {
  const [place] = member.declarations as ts.Declaration[];
  const type = checker.getTypeOfSymbol(member);
  if (member.flags & ts.SymbolFlags.Method) {
    return type.getCallSignatures().map((call) => `${nameOf(member)}${signature(checker, call, place)}`);
  }
  const isReadonly =
    member.flags & ts.SymbolFlags.Accessor
      ? !(member.flags & ts.SymbolFlags.SetAccessor)
      : (ts.getCombinedModifierFlags(place as ts.Declaration) & ts.ModifierFlags.Readonly) !== 0;
  return [`${isReadonly ? 'readonly ' : ''}${nameOf(member)}: ${checker.typeToString(type, place, FLAGS)}`];
}

function signature(checker: ts.TypeChecker, call: ts.Signature, place: ts.Node | undefined): string {
  return checker.signatureToString(call, place, FLAGS);
}

/** Members of our own that the typings show: not those of `Error`, not private ones, not internal ones. */
function isPublic(member: ts.Symbol): boolean {
  const [place] = member.declarations ?? [];
  if (place === undefined || !OURS.some((folder) => place.getSourceFile().fileName.startsWith(folder)))
    return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (ts.getCombinedModifierFlags(place) & hidden || nameOf(member).startsWith('#')) return false;
  return !ts.getJSDocTags(place).some((tag) => tag.tagName.text === 'internal');
}

function isOptional(member: ts.Symbol): boolean {
  return (member.flags & ts.SymbolFlags.Optional) !== 0;
}

function nameOf(member: ts.Symbol): string {
  const name = member.declarations?.[0] && ts.getNameOfDeclaration(member.declarations[0]);
  return name?.getText() ?? member.name;
}
