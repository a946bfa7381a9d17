import { Buffer } from '../buffer/buffer.ts'
import { coded } from '../errors.ts'
import type { ChildProcess, SpawnOptions } from './child-process.ts'
import type { PipeReader } from './pipes.ts'

export interface ExecOptions extends SpawnOptions {
  readonly encoding?: string | null
  readonly maxBuffer?: number
}

type Output = string | Buffer

export type ExecCallback = (error: Error | null, stdout: Output, stderr: Output) => void

const MAX_BUFFER = 1024 * 1024

/** Collects the output of a child process. Calls back after the child's exit, as `execFile` does. */
export function collect(
  child: ChildProcess,
  command: string,
  { encoding = 'utf8', maxBuffer = MAX_BUFFER, killSignal }: ExecOptions,
  callback?: ExecCallback,
): ChildProcess {
  let failure: Error | undefined
  const limit = (name: 'stdout' | 'stderr'): void => {
    failure ??= coded(new RangeError(`${name} maxBuffer length exceeded`), 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    child.kill(killSignal)
  }
  const outputs = {
    stdout: gather(child.stdout, maxBuffer, () => limit('stdout')),
    stderr: gather(child.stderr, maxBuffer, () => limit('stderr')),
  }
  const asGiven = (chunks: readonly Uint8Array[]): Output => {
    const all = Buffer.concat(chunks)
    return encoding === null || encoding === 'buffer' ? all : all.toString(encoding)
  }
  let isOver = false
  const end = (error: Error | null): void => {
    if (isOver) return
    isOver = true
    callback?.(error, asGiven(outputs.stdout), asGiven(outputs.stderr))
  }
  child.once('error', (error: Error) => {
    failure ??= error
    if (child.pid === undefined) end(Object.assign(error, { cmd: command }))
  })
  child.once('close', (code: number | null, signal: string | null) => {
    if (code === 0 && signal === null && failure === undefined) end(null)
    else
      end(
        failure === undefined
          ? commandFailed(child, command, asGiven(outputs.stderr))
          : Object.assign(failure, { cmd: command }),
      )
  })
  return child
}

function commandFailed({ exitCode, signalCode, killed }: ChildProcess, command: string, stderr: Output): Error {
  const error = new Error(`Command failed: ${command}\n${String(stderr)}`)
  return Object.assign(error, { code: exitCode, killed, signal: signalCode, cmd: command })
}

function gather(stream: PipeReader | null, limit: number, exceeded: () => void): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let left = limit
  stream?.on('data', (chunk: Uint8Array) => {
    const kept = chunk.subarray(0, Math.max(0, left))
    if (kept.length > 0) chunks.push(kept)
    if (chunk.length > left) exceeded()
    left -= chunk.length
  })
  return chunks
}
