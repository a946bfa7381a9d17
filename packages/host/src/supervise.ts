import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { forget, remember, signalGroup } from './process-group.ts'
import { RunError } from './run-error.ts'
import type { RunOptions, RunResult, Started } from './run-types.ts'

type Stop = 'TIMEOUT' | 'ABORTED' | 'MAX_OUTPUT'

interface Supervision {
  describe(part: Partial<RunResult>): Omit<RunResult, 'failed'>
  spawnFailure(error: unknown): RunError
}

/** Feeds a child, collects what it says, ends its process group when told to, and settles once. */
export function supervise(child: ChildProcess, options: RunOptions, { describe, spawnFailure }: Supervision): Started {
  const { timeout, signal, input, killGrace = 1000, waitDelay = 500, maxOutput = 64 * 1024 * 1024 } = options
  const { pid } = child
  if (pid !== undefined) remember(pid)

  const done = new Promise<RunResult>((resolve, reject) => {
    const timers: NodeJS.Timeout[] = []
    let stopped: { why: Stop; cause?: unknown } | undefined
    let ended: { exitCode: number | null; signal: NodeJS.Signals | null } | undefined
    let settled = false

    const live = typeof options.stderr === 'function' ? options.stderr : undefined
    const overflow = () => stop('MAX_OUTPUT')
    const stdout = collect(child.stdout, maxOutput, overflow)
    const stderr = collect(child.stderr, maxOutput, overflow, live)

    const stop = (why: Stop, cause?: unknown) => {
      if (stopped !== undefined || settled) return
      stopped = { why, cause }
      if (pid === undefined) return
      if (ended) return settle()
      signalGroup(pid, 'SIGTERM')
      timers.push(setTimeout(() => signalGroup(pid, 'SIGKILL'), killGrace))
    }
    const abort = () => stop('ABORTED', signal?.reason)

    const settle = (failure?: unknown) => {
      if (settled) return
      settled = true
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (pid !== undefined) {
        // A grandchild that ignored SIGTERM must not outlive a program we ended.
        if (stopped) signalGroup(pid, 'SIGKILL')
        forget(pid)
      }
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
      if (failure !== undefined) return reject(spawnFailure(failure))
      const result = describe({
        exitCode: ended?.exitCode ?? null,
        signal: ended?.signal ?? null,
        stdout: stdout(),
        stderr: stderr(),
        timedOut: stopped?.why === 'TIMEOUT',
        aborted: stopped?.why === 'ABORTED',
      })
      if (stopped) reject(new RunError(stopped.why, sentence(stopped.why, options), result, { cause: stopped.cause }))
      else if (result.signal) reject(new RunError('SIGNAL', `Command was killed with ${result.signal}`, result))
      else if (result.exitCode !== 0)
        reject(new RunError('EXIT', `Command failed with exit code ${result.exitCode}`, result))
      else resolve({ ...result, failed: false })
    }

    child.on('error', (error) => {
      // also emitted when a signal cannot be delivered: then the child lives and will exit
      if (pid === undefined) settle(error)
    })
    child.once('exit', (exitCode, signal) => {
      ended = { exitCode, signal }
      // A grandchild may hold our pipes for ever: `close` alone would never come.
      timers.push(setTimeout(settle, waitDelay))
    })
    child.once('close', (exitCode, signal) => {
      ended ??= { exitCode, signal }
      settle()
    })
    if (input !== undefined) feed(child, input)
    if (timeout !== undefined) timers.push(setTimeout(() => stop('TIMEOUT'), timeout))
    signal?.addEventListener('abort', abort, { once: true })
  })
  // The caller may await something else first; a rejection in the meantime must not end the process.
  done.catch(() => {})
  return { pid, done, kill: (name = 'SIGTERM') => pid !== undefined && signalGroup(pid, name) }
}

function sentence(why: Stop, options: RunOptions): string {
  switch (why) {
    case 'TIMEOUT':
      return `Command timed out after ${options.timeout} milliseconds`
    case 'ABORTED':
      return 'Command was aborted'
    case 'MAX_OUTPUT':
      return 'Command printed too much and was ended'
  }
}

function feed(child: ChildProcess, input: string | Uint8Array): void {
  // EPIPE: a program need not read its stdin, its exit code tells how it went
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
}

function collect(
  stream: Readable | null,
  limit: number,
  overflow: () => void,
  live?: (chunk: Uint8Array) => void,
): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream?.on('error', () => {
    // a pipe destroyed after the exit: what was read is kept
  })
  stream?.on('data', (chunk: Buffer) => {
    if (size > limit) return
    size += chunk.length
    chunks.push(size > limit ? chunk.subarray(0, chunk.length - (size - limit)) : chunk)
    live?.(chunk)
    if (size > limit) overflow()
  })
  return () => Buffer.concat(chunks).toString()
}
