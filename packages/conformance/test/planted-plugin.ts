import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BODY = readFileSync(new URL('fixtures/planted.cjs', import.meta.url), 'utf8')

/** Creates an executable test plugin with the given defects, in a temporary folder of its own. */
export function plantedPlugin(chained: boolean, defects: readonly string[]): Disposable & { readonly path: string } {
  const unknown = defects.find((defect) => !BODY.includes(`has('${defect}')`) && !defect.startsWith('prints-on-'))
  if (unknown !== undefined) throw new Error(`planted.cjs knows no defect ${unknown}`)
  const folder = mkdtempSync(join(tmpdir(), 'cni-planted-'))
  const path = join(folder, 'planted')
  const head = `#!${process.execPath}\nconst CHAINED = ${chained}\nconst DEFECTS = ${JSON.stringify(defects)}\n`
  writeFileSync(path, `${head}${BODY}`, { mode: 0o755 })
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
