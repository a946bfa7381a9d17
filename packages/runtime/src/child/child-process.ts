import { AbortError, coded } from '../errors.ts'
import { EventEmitter } from '../events/emitter.ts'
import { host } from '../host.ts'
import type { Watcher } from '../loop/descriptors.ts'
import { nextTick } from '../loop/ticks.ts'
import { process } from '../process/process.ts'
import type { Stream } from '../stream/stream.ts'
import { callError, type SystemError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { signalNumbers } from '../sys/signal-names.ts'
import { candidates } from './find-file.ts'
import { PipeReader, PipeWriter } from './pipes.ts'
import { waitForExit } from './wait.ts'
import { type Stdio, Wiring } from './wiring.ts'

export interface SpawnOptions {
  readonly cwd?: string | URL
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly argv0?: string
  readonly stdio?: Stdio
  readonly detached?: boolean
  readonly shell?: boolean | string
  readonly uid?: number
  readonly gid?: number
  readonly signal?: AbortSignal
  readonly timeout?: number
  readonly killSignal?: string | number
}

const ENOENT = -2
const EACCES = -13
const ENOTDIR = -20

type SpawnError = SystemError & { spawnargs: readonly string[] }

/** Child process that `spawn` has started. The child always leads its own process group. */
export class ChildProcess extends EventEmitter {
  readonly spawnfile: string
  readonly spawnargs: readonly string[]
  readonly pid: number | undefined
  readonly stdin: PipeWriter | null = null
  readonly stdout: PipeReader | null = null
  readonly stderr: PipeReader | null = null
  readonly stdio: readonly (Stream | null)[]
  exitCode: number | null = null
  signalCode: string | null = null
  killed = false
  connected = false
  #watcher: Watcher | undefined
  #open = 1

  constructor(file: string, args: readonly string[], options: SpawnOptions) {
    super()
    if (options.uid !== undefined || options.gid !== undefined) {
      throw coded(
        new Error('spawn: uid and gid are not supported: start the program through setpriv'),
        'ERR_INVALID_ARG_VALUE',
      )
    }
    this.spawnfile = file
    this.spawnargs = [options.argv0 ?? file, ...args]
    const wiring = new Wiring(options.stdio)
    const result = this.#start(wiring, options)
    wiring.closeChildEnds()
    this.stdio = wiring.streams()
    const [stdin, stdout, stderr] = this.stdio
    if (stdin instanceof PipeWriter) this.stdin = stdin
    if (stdout instanceof PipeReader) this.stdout = stdout
    if (stderr instanceof PipeReader) this.stderr = stderr
    if (result < 0) this.#fail(result)
    else this.pid = this.#watch(result, options)
  }

  kill(signal: string | number = 'SIGTERM'): boolean {
    const number = typeof signal === 'number' ? signal : signalNumbers[signal]
    if (number === undefined) throw coded(new TypeError(`Unknown signal: ${signal}`), 'ERR_UNKNOWN_SIGNAL')
    if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false
    const result = call('kill', this.pid, number)
    if (result === 0) this.killed = true
    return result === 0
  }

  ref(): void {
    this.#watcher?.ref()
  }

  unref(): void {
    this.#watcher?.unref()
  }

  [Symbol.dispose](): void {
    this.kill()
  }

  #start(wiring: Wiring, { env = process.env, cwd }: SpawnOptions): number {
    const list = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    const folder = cwd === undefined ? undefined : typeof cwd === 'string' ? cwd : cwd.pathname
    let result = ENOENT
    for (const file of candidates(this.spawnfile, env.PATH)) {
      const one = host.spawn(file, this.spawnargs, list, wiring.childEnds, folder)
      if (one >= 0) return one
      if (one !== ENOENT && one !== ENOTDIR && one !== EACCES) return one
      // Continues with the next folder of PATH after EACCES, as execvp does.
      if (result !== EACCES) result = one === ENOTDIR && !this.spawnfile.includes('/') ? ENOENT : one
    }
    return result
  }

  #watch(pid: number, options: SpawnOptions): number {
    for (const stream of this.stdio) {
      if (stream === null) continue
      if (stream instanceof PipeReader) this.#open++
      if (stream instanceof PipeReader) stream.once('close', () => this.#closed())
    }
    this.#watcher = waitForExit(pid, (code, signal) => this.#exited(code, signal))
    nextTick(() => this.emit('spawn'))
    this.#limit(options)
    return pid
  }

  #limit({ signal, timeout, killSignal }: SpawnOptions): void {
    if (timeout !== undefined && timeout > 0) {
      const timer = setTimeout(() => this.kill(killSignal), timeout)
      this.once('exit', () => clearTimeout(timer))
    }
    if (signal === undefined) return
    const abort = (): void => {
      if (this.kill(killSignal)) this.emit('error', new AbortError(signal.reason))
    }
    if (signal.aborted) nextTick(abort)
    signal.addEventListener('abort', abort)
    this.once('exit', () => signal.removeEventListener('abort', abort))
  }

  #exited(code: number | null, signal: string | null): void {
    this.exitCode = code
    this.signalCode = signal
    this.stdin?.destroy()
    try {
      this.emit('exit', code, signal)
    } finally {
      // Discards the child's output if this process does not read the output. Unread output would delay the child's
      // event `close`.
      for (const stream of this.stdio) if (stream instanceof PipeReader && !stream.isPaused()) stream.resume()
      this.#closed()
    }
  }

  #closed(): void {
    if (--this.#open === 0) this.emit('close', this.exitCode, this.signalCode)
  }

  #fail(result: number): void {
    const error: SpawnError = Object.assign(callError(result, `spawn ${this.spawnfile}`), {
      path: this.spawnfile,
      spawnargs: this.spawnargs.slice(1),
    })
    for (const stream of this.stdio) stream?.destroy()
    if (result !== ENOENT && result !== EACCES) {
      throw Object.assign(callError(result, 'spawn'), { message: `spawn ${error.code}`, syscall: 'spawn' })
    }
    this.exitCode = result
    nextTick(() => {
      this.emit('error', error)
      this.emit('close', this.exitCode, null)
    })
  }
}
