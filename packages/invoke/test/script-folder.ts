import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Temporary folder with plugins in the form of executable `#!/bin/sh` scripts. */
export interface ScriptFolder extends Disposable {
  readonly dir: string
  /** Writes an executable shell script to the folder and returns the script's path. */
  script(name: string, body: string, mode?: number): string
}

/**
 * Creates a temporary folder for plugins written as shell scripts.
 *
 * @example
 * ```ts
 * using bin = scriptFolder()
 * bin.script('failing', `printf '{"code":7,"msg":"bad"}'; exit 1`)
 * await addPlugin('failing', conf, { ...call, path: [bin.dir] })
 * ```
 */
export function scriptFolder(): ScriptFolder {
  const dir = mkdtempSync(join(tmpdir(), 'cni-plugins-'))
  return {
    dir,
    script(name, body, mode = 0o755) {
      const path = join(dir, name)
      writeFileSync(path, `#!/bin/sh\n${body}\n`)
      chmodSync(path, mode)
      return path
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}
