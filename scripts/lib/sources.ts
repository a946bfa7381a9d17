import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './exec.ts'

/** Paths of a package's source files without its tests, relative to the repository's root. */
export const sources = (folder: string): string[] =>
  globSync(`${folder}/src/**/*.ts`, { cwd: root }).filter((file) => !/\.test(-d)?\.ts$/.test(file))

/** Import specifiers of a TypeScript file, including imports of types and `import()`. */
export function importsOf(file: string): string[] {
  if (!file.endsWith('.ts')) return []
  return ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true).importedFiles.map((one) => one.fileName)
}
