import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TempDir extends Disposable {
  readonly dir: string
  /** Writes a file into the temporary folder. Writes content that is not a string as JSON. */
  write(name: string, content: unknown): string
}

export function tempDir(): TempDir {
  const dir = mkdtempSync(join(tmpdir(), 'libcni-'))
  return {
    dir,
    write(name, content) {
      const path = join(dir, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
      return path
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}
