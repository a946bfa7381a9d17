import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { sample } from '../../../test/deep.ts'
import { root } from '../exec.ts'
import { languageService } from './language-service.ts'

const files = globSync(['docs/examples/**/*.ts', 'examples/*/src/**/*.ts'], { cwd: root }).map((file) =>
  join(root, file),
)

// Opens the file first, as editors do: loading the program is not part of the hover.
test.each(sample(['typescript', 'typescript-5.9'], () => 'language service'))(
  '%s: hovering over any import or call of an example works',
  async (version) => {
    using service = languageService(createRequire(import.meta.url).resolve(`${version}/lib/tsserver.js`))
    const options = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile).config.compilerOptions
    const lib = ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts']
    const project = { projectFileName: join(root, 'examples.csproj'), options: { ...options, lib } }
    await service.ask('openExternalProject', { ...project, rootFiles: files.map((fileName) => ({ fileName })) })

    const failed: string[] = []
    let hovers = 0
    for (const file of files) {
      const text = readFileSync(file, 'utf8')
      // `open` has no response.
      void service.ask('open', { file, fileContent: text }).catch(() => {})
      const { body } = await service.ask('semanticDiagnosticsSync', { file })
      expect(body, file).toEqual([])
      for (const { name, line, offset } of hovered(file, text)) {
        const start = service.cpuMs()
        const { success, message } = await service.ask('quickinfo', { file, line, offset })
        // CPU time, because other tests run at the same time.
        const took = service.cpuMs() - start
        hovers++
        if (!success || took > 2000) failed.push(`${file}:${line} ${name}: ${message ?? ''} ${took} ms`)
      }
    }
    expect(failed).toEqual([])
    expect(hovers).toBeGreaterThan(500)
  },
  300_000,
)

/** Positions of imported names, and of called functions. */
function hovered(file: string, text: string) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const names: ts.Identifier[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) names.push(node.name)
    if (ts.isImportClause(node) && node.name !== undefined) names.push(node.name)
    if (ts.isCallExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
      if (ts.isIdentifier(called)) names.push(called)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names.map((name) => {
    const { line, character } = source.getLineAndCharacterOfPosition(name.getStart())
    return { name: name.text, line: line + 1, offset: character + 1 }
  })
}
