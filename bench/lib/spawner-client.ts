import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What one program did and took, with everything it waited for. */
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

/** Programs are started by a bun beside us, one at a time: see spawner.ts. */
export class Spawner {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>

  constructor() {
    const bun = createRequire(import.meta.url)
      .resolve('@oven/bun-linux-x64-baseline/package.json')
      .replace('package.json', 'bin/bun')
    this.#child = spawn(bun, [fileURLToPath(new URL('spawner.ts', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    if (stdout === null) throw new Error('the spawner has no stdout')
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
  }

  async run(program: Program): Promise<Ran> {
    this.#child.stdin?.write(`${JSON.stringify(program)}\n`)
    const { value, done } = await this.#answers.next()
    if (done === true) throw new Error('the spawner has ended')
    return JSON.parse(value) as Ran
  }

  close(): void {
    this.#child.stdin?.end()
  }
}
