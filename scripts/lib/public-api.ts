import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { budgetProblems, namesOf, type PackageCount, readBudget } from './api-budget.ts'
import { root } from './exec.ts'
import { manifests } from './pack.ts'
import { Stop } from './progress.ts'

const folder = join(root, 'api')

/** Fails if a package's public API differs from `api/`, so that reviewers see changes. */
export function checkApi() {
  const reports = [...apiReports()]
  const note = checkBudget(reports)
  const changed = reports.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text)
  if (changed.length > 0) {
    const lines = changed.map(({ file, text }) => `${relative(root, file)}: ${firstDifference(file, text)}`)
    throw new Stop(
      `The public API is not the recorded one. Meant? Then npm run api, and a changeset.\n${lines.join('\n')}`,
    )
  }
  return { note }
}

/** Records the public API of every built package: `api/<package>.txt`. */
export function writeApi() {
  mkdirSync(folder, { recursive: true })
  let changed = 0
  const reports = [...apiReports()]
  for (const { file, text } of reports) {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    writeFileSync(file, text)
    changed++
  }
  const note = checkBudget(reports)
  return { note: `${changed === 0 ? 'as recorded' : `${changed} of the files in api/ changed`}; ${note}` }
}

/** Fails if an entry of a package exports more names than `api/budget.json` allows. */
function checkBudget(counts: readonly PackageCount[]) {
  const problems = budgetProblems(counts, readBudget())
  if (problems.length > 0) throw new Stop(problems.join('\n'))
  const names = counts.flatMap(({ entries }) => entries).reduce((sum, entry) => sum + entry.names, 0)
  const hidden = counts.reduce((sum, each) => sum + each.hidden.length, 0)
  return `${names} names of ${counts.length} packages, ${hidden} types needed but not exported`
}

function* apiReports() {
  for (const { folder: where, manifest } of manifests()) {
    const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
      typeof target === 'object' ? [{ subpath: join(manifest.name, subpath), file: join(where, target.types) }] : [],
    )
    yield { package: manifest.name, file: join(folder, `${basename(where)}.txt`), ...apiOf(entries) }
  }
}

type Entry = { readonly subpath: string; readonly file: string }

/** Text of a package's public API, including used types that the package does not export. */
export function apiOf(entries: readonly Entry[]) {
  const program = programOf(entries.map(({ file }) => file))
  const checker = program.getTypeChecker()
  const shown: Set<ts.Node> = new Set()
  const needed: Set<ts.Node> = new Set()
  const lines: string[] = []
  const known = new Set<ts.Symbol>()
  const counts: { specifier: string; names: number }[] = []
  for (const { subpath, file } of entries) {
    const module = checker.getSymbolAtLocation(sourceOf(program, file))
    const exported = module === undefined ? [] : checker.getExportsOfModule(module)
    counts.push({ specifier: subpath, names: exported.reduce((sum, each) => sum + namesOf(checker, each, known), 0) })
    lines.push(`## ${subpath}`, '')
    for (const symbol of exported.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const declarations = declarationsOf(checker, symbol)
      if (declarations.length === 0) lines.push(`export ${symbol.name}: of another package`)
      for (const each of declarations) {
        shown.add(each)
        lines.push(textOf(each, symbol.name))
        for (const other of reached(checker, each)) needed.add(other)
      }
      lines.push('')
    }
  }
  const hidden = [...needed].filter((each) => !shown.has(each) && !isBrand(each))
  if (hidden.length > 0) {
    const texts = hidden.map((each) => textOf(each)).sort()
    lines.push('## Needed by them, not exported', '', ...texts.flatMap((text) => [text, '']))
  }
  return { text: `${lines.join('\n').trimEnd()}\n`, entries: counts, hidden: hidden.map(declaredName).sort() }
}

/** True for a declaration of a unique symbol. A class recognizes instances of its other copies by the symbol. */
const isBrand = (node: ts.Node) =>
  ts.isVariableStatement(node) &&
  node.declarationList.declarations.every(
    ({ type }) => type !== undefined && ts.isTypeOperatorNode(type) && type.operator === ts.SyntaxKind.UniqueKeyword,
  )

function declaredName(node: ts.Node): string {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText()).join()
  const isNamed =
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node)
  return isNamed ? (node.name?.text ?? '') : node.getText()
}

/** Creates a program without type libraries, because the API record contains nothing from them. */
function programOf(files: readonly string[]) {
  const options: ts.CompilerOptions = { noLib: true, types: [], module: ts.ModuleKind.NodeNext, skipLibCheck: true }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => {
      const file = resolve(dirname(from), text.replace(/\.js$/, '.d.ts'))
      if (!text.startsWith('.') || !existsSync(file)) return { resolvedModule: undefined }
      return { resolvedModule: { resolvedFileName: file, extension: ts.Extension.Dts } }
    })
  return ts.createProgram([...files], options, host)
}

function sourceOf(program: ts.Program, file: string) {
  const source = program.getSourceFile(file)
  if (source === undefined) throw new Stop(`${relative(root, file)} is missing: npm run build`)
  return source
}

function declarationsOf(checker: ts.TypeChecker, symbol: ts.Symbol) {
  const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (own.declarations ?? []).filter(isTopLevel).map(statementOf)
}

/** Finds the package's own declarations that a declaration refers to, directly or through other declarations. */
function reached(checker: ts.TypeChecker, from: ts.Node) {
  const found: Set<ts.Node> = new Set()
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      for (const each of symbol === undefined ? [] : declarationsOf(checker, symbol)) {
        if (found.has(each) || each === from) continue
        found.add(each)
        ts.forEachChild(each, visit)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(from)
  return found
}

const isTopLevel = (node: ts.Node) => !ts.isSourceFile(node) && ts.isSourceFile(statementOf(node).parent)

/** Returns the statement that contains a variable's declaration. Returns any other declaration itself. */
const statementOf = (node: ts.Node): ts.Node =>
  ts.isVariableDeclaration(node) && ts.isVariableStatement(node.parent.parent) ? node.parent.parent : node

const printer = ts.createPrinter({ removeComments: true })

/**
 * Text of a declaration without comments, because comments must not change the API record.
 *
 * @param exported - public name, if the declaration itself has another name
 */
function textOf(node: ts.Node, exported?: string) {
  const source = node.getSourceFile()
  const { transformed } = ts.transform(node, [unionsInOrder(source)])
  const text = printer
    .printNode(ts.EmitHint.Unspecified, transformed[0] ?? node, source)
    .replace(/^(export )?(default )?(declare )?/, '')
    .replaceAll(/^ {4,}/gm, (spaces) => spaces.slice(spaces.length / 2))
  const named = new RegExp(`\\b${exported?.replaceAll('$', '\\$')}\\b`).test(text)
  return exported === undefined || named ? text : `${text} // as ${exported}`
}

/** Sorts the members of union types, because the compiler's order varies between builds. */
function unionsInOrder(source: ts.SourceFile): ts.TransformerFactory<ts.Node> {
  const print = (node: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, node, source)
  return (context) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context)
      if (!ts.isUnionTypeNode(inner)) return inner
      const members = inner.types.map((type) => ({ type, text: print(type) }))
      const sorted = members.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ type }) => type)
      return ts.factory.updateUnionTypeNode(inner, ts.factory.createNodeArray(sorted))
    }
    return visit
  }
}

function firstDifference(file: string, text: string) {
  if (!existsSync(file)) return 'no such file'
  const before = readFileSync(file, 'utf8').split('\n')
  const after = text.split('\n')
  const at = after.findIndex((line, i) => line !== before[i])
  const line = at === -1 ? after.length : at
  return `line ${line + 1} is recorded as ${JSON.stringify(before[line] ?? '')}, and is ${JSON.stringify(after[line] ?? '')}`
}
