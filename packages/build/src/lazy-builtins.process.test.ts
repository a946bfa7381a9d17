import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from './bundle.ts'

describe('a bundle for bun', () => {
  test('loads a module of Node when a member of it is first used', async () => {
    const { loaded, exports } = await load(`
      import { existsSync, readFileSync as read } from 'node:fs'
      import { sep } from 'node:path'
      export const exists = (path) => existsSync(path)
      export const separator = () => sep
      export const text = (path) => read(path, 'utf8')`)
    expect(loaded).toEqual([])
    expect(exports.exists?.('/')).toBe(true)
    expect(loaded).toEqual(['node:fs'])
    expect(exports.separator?.()).toBe('/')
    expect(new Set(loaded)).toEqual(new Set(['node:fs', 'node:path']))
  })

  test('finds exactly what the module has', async () => {
    const { exports } = await load(`
      import { EventEmitter, noSuchMember } from 'node:events'
      import { realpathSync } from 'node:fs'
      export class Mine extends EventEmitter {}
      export const same = () => new Mine() instanceof EventEmitter && EventEmitter
      export const absent = () => typeof noSuchMember
      export const ownMember = () => typeof realpathSync.native`)
    expect(exports.same?.()).toBe(createRequire(import.meta.url)('node:events').EventEmitter)
    expect(exports.absent?.()).toBe('undefined')
    expect(exports.ownMember?.()).toBe('function')
  })

  test.each([
    ['a whole module', `import * as path from 'node:path'`],
    ['a default import', `import path from 'node:path'`],
  ])('loads %s as ever: it can be enumerated', async (_, statement) => {
    const { loaded, exports } = await load(`${statement}\nexport const names = () => Object.keys({ ...path })`)
    expect(loaded).toEqual(['node:path'])
    expect(exports.names?.()).toContain('join')
  })

  test('loads it at once for Node, where that costs nothing', async () => {
    const { loaded } = await load(`import { sep } from 'node:path'\nexport const separator = () => sep`, 'node')
    expect(loaded).toEqual(['node:path'])
  })
})

/** Bundles a module and runs it here, with a `require` that remembers. */
async function load(source: string, runtime: 'bun' | 'node' = 'bun') {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-builtins-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const entry = join(folder, 'entry.mjs')
  writeFileSync(entry, source)
  const { text } = await bundle({ entry, runtime })
  const loaded: string[] = []
  const real = createRequire(import.meta.url)
  const module: { exports: Record<string, (...values: unknown[]) => unknown> } = { exports: {} }
  const recording = (name: string): unknown => {
    loaded.push(name)
    return real(name)
  }
  // Whatever is in our environment: an executable would start anew without some of it.
  const clean = Object.create(process, { env: { value: {} } })
  new Function('module', 'exports', 'require', 'process', text)(module, module.exports, recording, clean)
  return { loaded, exports: module.exports }
}
