import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './exec.ts'

/** Sources of a package that are published, without tests: paths from the root of the repository. */
export const sources = (folder: string): string[] =>
  globSync(`${folder}/src/**/*.ts`, { cwd: root }).filter((file) => !/\.test(-d)?\.ts$/.test(file))

/** Specifiers of all imports of a file, those of types and in `import()` among them. */
export function importsOf(file: string): string[] {
  if (!file.endsWith('.ts')) return []
  return ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true).importedFiles.map((one) => one.fileName)
}
