import { expect, test } from 'vitest'
import { parseSave, type Snapshot } from '../parse/snapshot.ts'
import { ruleset } from '../rules/ruleset.ts'
import { diffState } from './diff.ts'
import { planText } from './plan.ts'
import { reverted } from './revert.ts'
import { transitionText } from './transition.ts'
import { wantedState } from './wanted.ts'

/** A pod may write into its own namespace what it likes; more than a call can have arguments. */
const count = 130_000

const flooded = (line: string): Snapshot =>
  parseSave(`*filter\n:EX - [0:0]\n-A OUTPUT -j EX\n-A EX -j DROP\n${`${line}\n`.repeat(count)}COMMIT\n`, 'ipv4')

const wanted = wantedState(
  ruleset({ filter: ['EX'] }, (t) => [
    t.filter.on('OUTPUT').jump('EX'),
    t.filter.on('EX').drop(),
    t.filter.on('OUTPUT').mark(6).accept(),
  ]),
  'ipv4',
)

test.each(['-A OUTPUT -j EX', '-A OUTPUT -m mark --mark 6 -j ACCEPT', '-A EX -m mark --mark 9 -j DROP'])(
  'a flood of %s is compared, corrected and put back like anything else',
  (line) => {
    const before = flooded(line)
    const { missing, unexpected } = diffState(wanted, before)
    const text = planText(wanted, before)
    const harmless = line.endsWith('ACCEPT')
    expect([missing.length, unexpected.length]).toEqual(harmless ? [0, 0] : [1, count])
    expect(text === '').toBe(harmless)
    const after = parseSave('*filter\n:EX - [0:0]\n-A OUTPUT -j EX\n-A EX -j DROP\nCOMMIT\n', 'ipv4')
    const back = reverted(after, { before, text: transitionText(before, after) })
    expect(back.tables.get('filter')?.get(line.split(' ')[1] ?? '')?.rules).toHaveLength(count + 1)
  },
)
