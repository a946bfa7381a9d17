import { startWhoIs } from './daemon.ts'
import { FOLDER } from './shim.ts'

const [, , folder = FOLDER] = process.argv

async function main(): Promise<void> {
  const daemon = await startWhoIs({ folder, stderr: (line) => process.stderr.write(line) })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void daemon.stop())
}

main().catch((error: unknown) => {
  process.stderr.write(`who-is: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
