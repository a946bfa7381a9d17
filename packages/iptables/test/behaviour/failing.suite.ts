import { RunError } from '@cni/host'
import { describe, expect, test } from 'vitest'
import { iptables } from '../../src/iptables.ts'
import type { IptablesPort } from '../../src/run/port.ts'

import { drifted, foreign, held, rules, type Start } from './world.ts'

/** Tests for `apply` calls in which one process fails. Each process of the call fails once. */
export function failingBehaviour(start: Start): void {
  describe('a failed apply leaves the previous rules', () => {
    const kinds = ['before it runs', 'after its first table', 'with its last rule refused'] as const
    const states = [
      ['over nothing', false, ''],
      ['over foreign rules', false, foreign],
      ['over drift', true, drifted],
      ['over half of it', true, '*mangle\n-F OUTPUT\n-F EX_MARK\n-X EX_MARK\nCOMMIT\n'],
    ] as const
    // Skips cases in which `apply` cannot know if the killed process wrote the table.
    const known = (text: string, kind: string) => kind !== 'after its first table' || text === '' || text === drifted
    const cases = states.flatMap(([over, applied, text]) => kinds.map((kind) => ({ over, applied, text, kind })))
    test.for(cases.filter(({ text, kind }) => known(text, kind)))(
      '$over, if any process fails $kind',
      async ({ applied, text, kind }) => {
        await using s = await start()
        if (applied) await s.ipt.apply(rules)
        if (text !== '') await s.tamper(text)
        const before = await held(s.ipt)
        let outcome = 'failed'
        for (let failing = 0; outcome === 'failed'; failing++) {
          const port = breaking(s.port, failing, kind)
          const ipt = iptables(s.where, { ...s.world, port })
          outcome = await ipt.apply(rules).then(
            () => 'applied',
            () => 'failed',
          )
          if (outcome === 'failed') expect(await held(s.ipt), `process ${failing}`).toEqual(before)
          expect(failing).toBeLessThan(20)
        }
        await s.ipt.verify(rules)
      },
    )
  })
}

/** `IptablesPort` on which one process fails. */
function breaking(
  port: IptablesPort,
  failing: number,
  kind: 'before it runs' | 'after its first table' | 'with its last rule refused',
): IptablesPort {
  let count = 0
  return {
    ...port,
    async run(argv, options) {
      if (count++ !== failing) return port.run(argv, options)
      const { input } = options
      const result = { command: argv.join(' '), argv, stdout: '', durationMs: 0, timedOut: false, aborted: false }
      const gone = (exitCode: number | null, stderr: string) =>
        new RunError('EXIT', 'Command failed', {
          ...result,
          exitCode,
          signal: exitCode === null ? 'SIGKILL' : null,
          stderr,
        })
      if (input === undefined || kind === 'before it runs') throw gone(1, 'no memory')
      if (kind === 'after its first table') {
        const end = input.indexOf('COMMIT\n') + 'COMMIT\n'.length
        // A program that is killed after its last commit leaves the rules of a complete `apply`.
        if (end < input.length) await port.run(argv, { ...options, input: input.slice(0, end) })
        throw gone(null, '')
      }
      const lines = input.split('\n')
      const last = lines.lastIndexOf('COMMIT')
      return port.run(argv, { ...options, input: lines.toSpliced(last - 1, 1, '-A OUTPUT -j NOSUCHTARGET').join('\n') })
    },
  }
}
