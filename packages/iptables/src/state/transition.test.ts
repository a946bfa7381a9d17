import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSave, saveText } from '../parse/saved-tables.ts'
import { stepsText } from '../steps/steps.ts'
import { written } from '../steps/written.ts'
import { transitionSteps } from './transition.ts'

const rule = fc.constantFrom('-p tcp -j ACCEPT', '-p udp -j ACCEPT', '-j DROP')
const chain = fc.array(rule, { maxLength: 6 })
const read = (rules: readonly string[], name = 'INPUT') =>
  parseSave(`*filter\n${rules.map((each) => `-A ${name} ${each}\n`).join('')}COMMIT\n`, 'ipv4')

test('leads from any chain to any other and never deletes by number, which could delete a foreign rule', () => {
  fc.assert(
    fc.property(chain, chain, (from, to) => {
      const steps = transitionSteps(read(from), read(to))
      expect(stepsText(steps)).not.toMatch(/^-D \S+ \d+$/m)
      expect(saveText(written(read(from), steps))).toBe(saveText(read(to)))
    }),
  )
})

test('deletes the rules of a long chain from its front, where programs find them fast', () => {
  const rules = ['-s 10.0.0.1/32 -j DROP', '-s 10.0.0.2/32 -j DROP', '-s 10.0.0.3/32 -j DROP']
  const deletes = stepsText(transitionSteps(read(rules), read([]))).match(/^-D.*/gm)
  expect(deletes).toEqual(rules.map((each) => `-D INPUT ${each}`))
})

test('flushes a long chain if no rule stays', () => {
  const rules = Array.from({ length: 300 }, (_, i) => `-s 10.0.${i >> 8}.${i & 255}/32 -j DROP`)
  const steps = transitionSteps(read(rules), read(['-j ACCEPT']))
  expect(stepsText(steps)).toBe('*filter\n-F INPUT\n-A INPUT -j ACCEPT\nCOMMIT\n')
  expect(saveText(written(read(rules), steps))).toBe(saveText(read(['-j ACCEPT'])))
})

test('deletes a rule with a line break by its number, and never writes the line break', () => {
  const hostile = ['-m comment --comment "a\n-A INPUT -j ACCEPT" -j DROP', '-j ACCEPT']
  expect(stepsText(transitionSteps(read(hostile), read(['-j ACCEPT'])))).toBe('*filter\n-D INPUT 1\nCOMMIT\n')
  const back = stepsText(transitionSteps(read(['-j ACCEPT']), read(hostile)))
  expect(back).toBe('*filter\n-I INPUT 1 -m comment --comment "a -A INPUT -j ACCEPT" -j DROP\nCOMMIT\n')
})
