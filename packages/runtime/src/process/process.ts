import { define } from '../define.ts'
import { coded, invalidType } from '../errors.ts'
import { EventEmitter, type EventName, listenersChanged } from '../events/emitter.ts'
import { host, refuseAtSnapshot } from '../host.ts'
import { nextTick } from '../loop/ticks.ts'
import type { Readable } from '../stream/readable.ts'
import type { Writable } from '../stream/writable.ts'
import { callError, fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { signalNumbers } from '../sys/signal-names.ts'
import { hrtime, uptime } from '../sys/time.ts'
import { findBuiltin } from './builtins.ts'
import { readEnvironment } from './environment.ts'
import { memoryUsage } from './memory.ts'
import { catchSignal, releaseSignal } from './signals.ts'

/** Node version whose members the small runtime implements. */
const NODE_VERSION = '24.0.0'
const PATH_MAX = 4096

interface WarningOptions {
  readonly type?: string
  readonly code?: string
  readonly detail?: string
}

export class Process extends EventEmitter {
  readonly platform = 'linux'
  readonly arch = host.arch
  readonly version = `v${NODE_VERSION}`
  readonly versions = Object.freeze({ node: NODE_VERSION, cni: host.versions.runtime, quickjs: host.versions.quickjs })
  readonly release = Object.freeze({ name: 'cni' })
  readonly features = Object.freeze({})
  readonly config = Object.freeze({})
  readonly execArgv: readonly string[] = []
  readonly execPath = '/proc/self/exe'
  readonly hrtime = hrtime
  readonly memoryUsage = memoryUsage
  readonly uptime = uptime
  /** The module `streams.ts` creates `stdin`, `stdout` and `stderr` when the program first reads them. */
  declare readonly stdin: Readable
  declare readonly stdout: Writable
  declare readonly stderr: Writable
  exitCode: number | string | null | undefined
  title = 'cni'
  #env: Record<string, string | undefined> | undefined
  #argv: string[] | undefined
  #argv0: string | undefined
  #isExiting = false

  /** Drops cached values, such as the environment, of the build process that made the program's startup snapshot. */
  reset(): void {
    this.#env = undefined
    this.#argv = undefined
    this.#argv0 = undefined
    this.exitCode = undefined
  }

  override [listenersChanged](name: EventName): void {
    if (typeof name !== 'string' || !(name in signalNumbers)) return
    if (this.listenerCount(name) === 0) releaseSignal(name)
    else catchSignal(name, (signal, number) => this.emit(signal, signal, number))
  }

  get env(): Record<string, string | undefined> {
    refuseAtSnapshot('process.env')
    this.#env ??= readEnvironment()
    return this.#env
  }

  set env(env: Record<string, string | undefined>) {
    this.#env = env
  }

  get argv0(): string {
    refuseAtSnapshot('process.argv0')
    this.#argv0 ??= host.args()[0] ?? ''
    return this.#argv0
  }

  /** The second element of `argv` is the program's own path, because there is no script. */
  get argv(): string[] {
    refuseAtSnapshot('process.argv')
    this.#argv ??= [this.execPath, this.execPath, ...host.args().slice(1)]
    return this.#argv
  }

  set argv(argv: string[]) {
    this.#argv = argv
  }

  get pid(): number {
    return call('getpid')
  }

  get ppid(): number {
    return call('getppid')
  }

  getuid(): number {
    return call('getuid')
  }

  geteuid(): number {
    return call('geteuid')
  }

  getgid(): number {
    return call('getgid')
  }

  getegid(): number {
    return call('getegid')
  }

  cwd(): string {
    const buffer = new Uint8Array(PATH_MAX)
    const length = call('getcwd', buffer, PATH_MAX)
    if (length < 0) throw fileError(length, 'uv_cwd')
    return host.decode(buffer, 0, length - 1)
  }

  chdir(directory: string): void {
    const result = call('chdir', directory)
    if (result < 0) throw fileError(result, 'chdir', this.cwd(), directory)
  }

  umask(mask?: number | string): number {
    const next = typeof mask === 'string' ? Number.parseInt(mask, 8) : mask
    const before = call('umask', next ?? 0)
    if (next === undefined) call('umask', before)
    return before
  }

  kill(pid: number, signal: string | number = 'SIGTERM'): true {
    if (typeof pid !== 'number') throw invalidType('pid', 'of type number', pid)
    const number = typeof signal === 'number' ? signal : signalNumbers[signal]
    if (number === undefined) throw coded(new TypeError(`Unknown signal: ${signal}`), 'ERR_UNKNOWN_SIGNAL')
    const result = call('kill', pid, number)
    if (result < 0) throw callError(result, 'kill')
    return true
  }

  exit(code: number | string | null | undefined = this.exitCode): never {
    this.exitCode = code
    this.#emitExit()
    return this.reallyExit(Number(this.exitCode ?? 0))
  }

  reallyExit(code: number): never {
    call('exit_group', code & 0xff)
    throw new Error('exit_group returned')
  }

  abort(): never {
    call('kill', this.pid, signalNumbers.SIGABRT)
    return this.reallyExit(134)
  }

  #emitExit(): void {
    if (this.#isExiting) return
    this.#isExiting = true
    this.emit('exit', Number(this.exitCode ?? 0))
  }

  nextTick(callback: (...args: unknown[]) => void, ...args: unknown[]): void {
    if (typeof callback !== 'function') throw invalidType('callback', 'of type function', callback)
    nextTick(() => callback(...args))
  }

  emitWarning(warning: string | Error, given: string | WarningOptions = {}, code?: string): void {
    const { type = 'Warning', ...rest } = typeof given === 'string' ? { type: given, code } : given
    const error = typeof warning === 'string' ? Object.assign(new Error(warning), { name: type, ...rest }) : warning
    nextTick(() => {
      const prefix = `(node:${this.pid}) ${rest.code === undefined ? '' : `[${rest.code}] `}`
      if (error.name !== 'DeprecationWarning' || this.env.NODE_NO_WARNINGS !== '1') {
        const bytes = host.encode(`${prefix}${error.name}: ${error.message}\n`)
        call('write', 2, bytes, bytes.length)
      }
      this.emit('warning', error)
    })
  }

  getBuiltinModule(name: string): object | undefined {
    return findBuiltin(name)
  }

  get [Symbol.toStringTag](): string {
    return 'process'
  }
}

export const process = new Process()
define(globalThis, 'process', process)
define(globalThis, 'global', globalThis)
