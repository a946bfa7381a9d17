import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Result of one program, with its time and CPU time. The CPU time includes children that it waited for. */
export interface Ran {
  exitCode: number
  stdout: string
  stderr: string
  ms: number
  cpuMs: number
}

export interface Program {
  argv: readonly string[]
  env: Record<string, string>
  stdin: string
}

/** Functions that settle the promise for the result of one started program. */
interface Waiting {
  resolve(ran: Ran): void
  reject(error: Error): void
}

/** Client of spawner.ts: starts measured programs through a bun process. */
export class Spawner implements Disposable {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #orders = 0

  constructor() {
    const bun = createRequire(import.meta.url)
      .resolve('@oven/bun-linux-x64-baseline/package.json')
      .replace('package.json', 'bin/bun')
    this.#child = spawn(bun, [fileURLToPath(new URL('spawner.ts', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    if (stdout === null) throw new Error('the spawner has no stdout')
    createInterface({ input: stdout })
      .on('line', (line) => {
        const { id, ...ran } = JSON.parse(line) as Ran & { id: number }
        this.#waiting.get(id)?.resolve(ran)
        this.#waiting.delete(id)
      })
      .on('close', () => {
        for (const { reject } of this.#waiting.values()) reject(new Error('the spawner has ended'))
      })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Starts a program immediately, even if other programs of this client are still running. */
  run(program: Program): Promise<Ran> {
    const id = this.#orders++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.stdin?.write(`${JSON.stringify({ id, ...program })}\n`)
    })
  }

  [Symbol.dispose](): void {
    this.#child.stdin?.end()
  }
}
