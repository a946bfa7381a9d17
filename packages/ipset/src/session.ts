import { isRunError } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import type { Place } from '@cni/netns/handle'
import { isSetError, SetError } from './errors.ts'
import { failure, noBinary } from './failure.ts'
import { parseList, type SetInfo } from './parse-list.ts'
import { parseSets, type SavedSet } from './parse-save.ts'
import type { IpsetPort } from './port.ts'

/** For steps that must still run after an abort: taking back what was written. */
export interface Uncancelled {
  readonly uncancelled?: boolean
}

/** How to restore. */
export interface RestoreOptions extends Uncancelled {
  /** Be content with what exists already, or is gone already. For all lines: in ipset 7 the option of one line is sticky. */
  readonly exist: boolean
}

/** The sets of one namespace, read and written with one process each. */
export interface IpsetSession {
  /** Runs lines. An empty text is no process. */
  restore(text: string, options: RestoreOptions): Promise<void>
  /** One set with its entries, `undefined` when there is none. */
  save(name: string, options?: Uncancelled): Promise<SavedSet | undefined>
  /** All sets without their entries. */
  list(): Promise<SetInfo[]>
  test(name: string, entry: string): Promise<boolean>
  warn(message: string, fields: Record<string, unknown>): void
}

/** Opens a session over a port. Nothing runs before the first call. */
export function openSession(port: IpsetPort, { signal, log }: Place): IpsetSession {
  const run = async (args: readonly string[], input?: string, uncancelled = false) => {
    if (port.find('ipset') === undefined) throw noBinary()
    const command = ['ipset', ...args].join(' ')
    if (!uncancelled && signal?.aborted === true) throw new SetError('ABORTED', `${command} was not started: aborted`)
    try {
      const result = await port.run(['ipset', ...args], {
        ...(input === undefined ? undefined : { input }),
        signal: uncancelled ? undefined : signal,
        timeout,
      })
      log?.debug(command, { ms: Math.round(result.durationMs) })
      debugFor('ipset')?.(command, { lines: input?.split('\n').length, ms: result.durationMs })
      return result.stdout
    } catch (error) {
      if (!isRunError(error)) throw error
      const refused = failure(error, command, input)
      log?.debug(refused.message, { code: refused.code })
      debugFor('ipset')?.(command, { refused: refused.code, error: refused })
      throw refused
    }
  }
  return {
    async restore(text, { exist, uncancelled }) {
      if (text !== '') await run(exist ? ['restore', '-exist'] : ['restore'], text, uncancelled)
    },
    async save(name, { uncancelled } = {}) {
      try {
        return parseSets(await run(['save', name], undefined, uncancelled))[0]
      } catch (error) {
        if (isSetError(error) && error.code === 'NOT_FOUND') return undefined
        throw error
      }
    },
    list: async () => parseList(await run(['list', '-terse'])),
    async test(name, entry) {
      try {
        await run(['test', name, entry])
        return true
      } catch (error) {
        if (isSetError(error) && error.stderr?.includes(' is NOT in set ') === true) return false
        throw error
      }
    },
    warn: (message, fields) => log?.warn(message, fields),
  }
}

/** 65536 entries take a tenth of a second; this is for a machine that stands still. */
const timeout = 60_000
