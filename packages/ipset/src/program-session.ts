import { isRunError } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import type { Place } from '@cni/netns/handle'
import { isSetError, SetError } from './errors.ts'
import { failure, noBinary } from './failure.ts'
import { linesOf } from './lines.ts'
import { parseList } from './parse-list.ts'
import { parseSets } from './parse-save.ts'
import type { IpsetPort } from './port.ts'
import type { IpsetSession } from './session.ts'

/** Reads and changes IP sets with the program `ipset`. Each call runs the program once. */
export function programSession(port: IpsetPort, { signal, log }: Place): IpsetSession {
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
    async change(changes, { exist, uncancelled }) {
      const text = linesOf(changes)
      // Passes `-exist` to the program, because ipset 7 would apply a line's `-exist` to later lines.
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

/** Time limit of one run of `ipset` in milliseconds. It is long, to end only a hanging run. */
const timeout = 60_000
