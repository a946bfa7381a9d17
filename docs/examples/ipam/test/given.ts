import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NODE } from '../../../../test/node.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Installs the example IPAM plugin in a folder where a container runtime finds it. */
export function install(folder: string) {
  const command = `'${[...NODE, '--no-warnings', main].join("' '")}'`
  writeFileSync(join(folder, 'node-ipam'), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 })
}
