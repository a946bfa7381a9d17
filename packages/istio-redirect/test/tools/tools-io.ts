import type { System } from '../../src/tools/io.ts'
import { runTools } from '../../src/tools/run-tools.ts'

/** Machine on which a test runs an `istio-redirect` command: environment variables, files and addresses. */
export interface Machine {
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  readonly addresses?: readonly string[]
  readonly calledAs?: string
  /**
   * Real machine, which replaces the described files and addresses. By default, the command sees the described machine.
   */
  readonly system?: System
}

/** Runs an `istio-redirect` command on a described machine, or on a real one. */
export async function tools(argv: readonly string[], machine: Machine = {}) {
  const written: Record<string, string> = {}
  let stdout = ''
  let stderr = ''
  const exitCode = await runTools(machine.calledAs ?? 'istio-redirect', argv, {
    env: machine.env ?? {},
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    colour: false,
    signal: new AbortController().signal,
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    system: machine.system ?? {
      readFile: (path) => {
        const text = machine.files?.[path]
        if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`)
        return text
      },
      writeFile: (path, text) => {
        written[path] = text
      },
      addresses: async () => machine.addresses ?? ['127.0.0.1/8', '10.1.2.3/24', '::1/128', 'fd00::3/64'],
    },
  })
  return { exitCode, stdout, stderr, written }
}
