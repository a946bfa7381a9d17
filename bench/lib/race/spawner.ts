// Starts the programs that stdin lists. Runs under bun: Node.js cannot report the CPU time of a single child.
import { createInterface } from 'node:readline'
import type { Program } from './spawner-client.ts'

interface Child {
  readonly exited: Promise<number>
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  resourceUsage(): { readonly cpuTime: { readonly total: bigint } } | undefined
}

// bun's API has no types in this repository
const { Bun } = globalThis as unknown as { Bun: { spawn(argv: readonly string[], options: object): Child } }

for await (const line of createInterface({ input: process.stdin })) void carryOut(JSON.parse(line))

async function carryOut({ id, argv, env, stdin }: Program & { id: number }): Promise<void> {
  const begun = performance.now()
  const child = Bun.spawn(argv, { env, cwd: '/', stdin: Buffer.from(stdin), stdout: 'pipe', stderr: 'pipe' })
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const ms = performance.now() - begun
  const usage = child.resourceUsage()
  const cpuMs = Number(usage?.cpuTime.total ?? 0n) / 1000
  process.stdout.write(`${JSON.stringify({ id, exitCode, stdout, stderr, ms, cpuMs })}\n`)
}
