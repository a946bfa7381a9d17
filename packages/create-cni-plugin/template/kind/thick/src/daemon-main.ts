import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { serveDaemon } from '@cni/skel/daemon'
import { plugin } from './plugin.ts'
import { SOCKET } from './shim.ts'

const [, , socket = SOCKET] = process.argv

async function main() {
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
  const daemon = await serveDaemon(plugin, { socket })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void daemon.stop())
}

main().catch((error: unknown) => {
  process.stderr.write(`@NAME@-daemon: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
