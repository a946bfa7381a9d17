import { setTimeout } from 'node:timers/promises'
import { CniError, decodeResult, ErrorCode, type NetConf, parseJson, type Verb } from '@cni/types'
import { checkByVerb, checkMilliseconds, describeValue, unexpected } from '../checks.ts'
import type { AddContext, CallContext } from '../definition/context.ts'
import { definePlugin, type Plugin } from '../definition/plugin.ts'
import { pluginMain } from '../main/plugin-main.ts'
import { memberText } from '../protocol/member-text.ts'
import { type Attempt, attempt } from './attempt.ts'

/** Options of a shim, which forwards CNI calls to a daemon. */
export interface ShimOptions extends Pick<Plugin<NetConf>, 'about' | 'versions' | 'timeout' | 'goCompat' | 'log'> {
  /** Name of the shim's executable, and `type` in a network configuration. */
  readonly name: string
  /** Absolute path of the daemon's socket, or a function that reads it from the configuration. */
  readonly socket: string | ((conf: NetConf) => string)
  /**
   * Milliseconds that the shim waits for an unavailable daemon. DEL never waits. The shim waits at most nine tenths of
   * the call's deadline. Default: 30 000 for ADD and GC, 5000 for CHECK, 1000 for STATUS.
   */
  readonly readyTimeout?: number | Partial<Readonly<Record<Exclude<Verb, 'DEL'>, number>>>
  /** Milliseconds between two attempts to reach the daemon. Default: 100. */
  readonly pollInterval?: number
  /**
   * Behaviour of DEL while no daemon listens at the socket.
   * - `succeed` (default): succeeds with a warning, because a node must be able to shut down. GC cleans up later.
   * - `fail`: fails with code 11, and the container runtime retries.
   */
  readonly delWhileDown?: 'succeed' | 'fail'
}

type WaitingVerb = Exclude<Verb, 'DEL'>

const DEADLINE = 50_000
const READY: Readonly<Record<WaitingVerb, number>> = { ADD: 30_000, CHECK: 5000, GC: 30_000, STATUS: 1000 }
const POLL = 100

/**
 * Creates the plugin that forwards calls to the daemon of {@link serveDaemon}. Returns the daemon's result or error
 * unchanged. Answers VERSION and invalid calls itself.
 *
 * @throws TypeError for invalid options.
 * @example
 * ```ts
 * pluginMain(shim({ name: 'greet', socket: '/run/greet/greet.sock' }))
 * ```
 */
export function shim(options: ShimOptions): Plugin<NetConf> {
  const { name, socket, readyTimeout, pollInterval = POLL, delWhileDown = 'succeed', ...executable } = options
  const { timeout = DEADLINE } = options
  checkOptions(options)

  const socketOf = (conf: NetConf): string => {
    const path: unknown = typeof socket === 'string' ? socket : socket(conf)
    if (isAbsolute(path)) return path
    const message = `the socket of the daemon: expected an absolute path, got ${describeValue(path)}`
    throw new CniError(ErrorCode.invalidNetworkConfig, message)
  }
  const forward = async (verb: WaitingVerb, c: CallContext & { conf: NetConf }): Promise<string> => {
    const own = typeof readyTimeout === 'number' ? readyTimeout : (readyTimeout?.[verb] ?? READY[verb])
    const until = performance.now() + Math.min(own, timeout * 0.9)
    const path = socketOf(c.conf)
    for (;;) {
      const made = await attempt(path, verb, c)
      if (made.answer !== undefined) return made.answer
      const rest = until - performance.now()
      if (rest <= 0) throw unavailable(verb, made)
      c.log.debug('waiting for the daemon', { socket: path, reason: made.reason })
      await sleep(Math.min(pollInterval, rest), c.signal)
    }
  }

  /** Reverts an ADD that the daemon has performed, with a DEL call to the daemon. */
  const undoAdd = async (c: AddContext<NetConf>, signal: AbortSignal): Promise<void> => {
    const made = await attempt(socketOf(c.conf), 'DEL', { ...c, env: { ...c.env, CNI_COMMAND: 'DEL' }, signal })
    if (made.answer === undefined) throw unavailable('DEL', made)
  }

  return definePlugin<NetConf>({
    ...executable,
    name,
    timeout,
    async add(c) {
      const answer = await forward('ADD', c)
      c.undo(({ signal }) => undoAdd(c, signal))
      // Prints `prevResult` as received, because decoding it would round large numbers.
      if (c.prevResult !== undefined && answer === receivedResult(c)) return c.prevResult
      return decodeResult(parseJson(answer, 'the result of the daemon'))
    },
    async check(c) {
      await forward('CHECK', c)
    },
    async gc(c) {
      await forward('GC', c)
    },
    async status(c) {
      await forward('STATUS', c)
    },
    async del(c) {
      let path: string
      try {
        path = socketOf(c.conf ?? { name: c.networkName })
      } catch (error) {
        c.log.warn('the configuration does not say where the daemon is: nothing was deleted', { error })
        return
      }
      const made = await attempt(path, 'DEL', c)
      if (made.answer !== undefined) return
      if (made.state !== 'down' || delWhileDown === 'fail') throw unavailable('DEL', made)
      c.log.warn('the daemon is down: nothing was deleted', { socket: path, reason: made.reason })
    },
  })
}

/**
 * Runs a shim as this process and exits. Call it on the last line of the executable.
 *
 * @example
 * ```ts
 * shimMain({ name: 'greet', socket: '/run/greet/greet.sock' })
 * ```
 */
export function shimMain(options: ShimOptions): void {
  pluginMain(shim(options))
}

function checkOptions({ name, socket, readyTimeout, pollInterval, delWhileDown }: ShimOptions): void {
  const where = `shim: ${name}`
  // Rejects a relative path of the daemon's socket, because it would depend on the container runtime's working
  // directory.
  if (typeof socket !== 'function' && !isAbsolute(socket))
    throw unexpected(`${where}: socket`, 'an absolute path', socket)
  const checkReady = (what: string, value: unknown): void => checkMilliseconds(what, value, 0)
  if (typeof readyTimeout === 'object')
    checkByVerb(`${where}: readyTimeout`, readyTimeout, Object.keys(READY), checkReady)
  else if (readyTimeout !== undefined) checkReady(`${where}: readyTimeout`, readyTimeout)
  if (pollInterval !== undefined) checkMilliseconds(`${where}: pollInterval`, pollInterval)
  if (delWhileDown === undefined || delWhileDown === 'succeed' || delWhileDown === 'fail') return
  throw unexpected(`${where}: delWhileDown`, 'succeed or fail', delWhileDown)
}

const isAbsolute = (path: unknown): path is string => typeof path === 'string' && path.startsWith('/')

function receivedResult({ raw }: CallContext): string | undefined {
  return memberText(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8'), 'prevResult')
}

function unavailable(verb: Verb, { state, socket, reason }: Exclude<Attempt, { answer: string }>): CniError {
  const code = verb === 'STATUS' ? ErrorCode.pluginNotAvailable : ErrorCode.tryAgainLater
  return new CniError(code, `the daemon at ${socket} is ${state}`, {
    details: reason,
    hint: state === 'down' ? 'is it running, and its socket mounted at the same path?' : undefined,
  })
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal })
}
